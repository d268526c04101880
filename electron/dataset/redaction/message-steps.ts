import type { DatasetRow } from '../rows';

/**
 * The step that each message of a row belongs to, by its place; 0: the head of the context. A step is one message of the assistant
 * and what follows it, and the steps stand at the end of the row in their order, so they are counted from there.
 */
export function messageSteps({ messages, plan }: Pick<DatasetRow, 'messages' | 'plan'>): number[] {
  const { kind, segment, steps } = plan;
  const before = kind === 'summary' ? [...segment.carried, ...segment.steps] : segment.carried;
  const order = [...before.map(({ step }) => step), ...steps.map(({ step }) => step)];
  let left = order.length;
  let open = order.at(-1) ?? 0;
  const found = new Array<number>(messages.length).fill(0);
  const assistants = messages.filter(({ role }) => role === 'assistant').length;
  // Messages before the first step that stands here are the head's.
  let toGo = Math.min(left, assistants);
  for (let index = messages.length - 1; index >= 0 && toGo > 0; index -= 1) {
    open = order[left - 1] ?? 0;
    found[index] = open;
    if (messages[index]?.role !== 'assistant') continue;
    left -= 1;
    toGo -= 1;
  }
  return found;
}
