import type { PromptChange, PromptDiff } from '@shared/context/prompt-diff';
import type { PromptMessage, PromptView, SegmentView } from '@shared/contract/views';

/** Which messages the list shows. */
export type RoleFilter = 'all' | PromptMessage['role'] | 'hints';

/** `closing`: what follows the steps, as in a summariser's request. */
export type GroupId = 'head' | 'carried' | 'own' | 'closing';
const groupIds = ['head', 'carried', 'own', 'closing'] as const satisfies GroupId[];

/** A line of the list of messages. */
export type PromptRow =
  | {
      kind: 'group';
      id: GroupId;
      /** Steps of the group; null for what is no step. */
      steps: { from: number; to: number } | null;
      messages: number;
      tokens: number;
      open: boolean;
    }
  | { kind: 'message'; index: number }
  /** Everything above is byte for byte what the request before began with. */
  | { kind: 'prefix'; messages: number; tokens: number };

export interface PromptListing {
  messages: readonly PromptMessage[];
  /** First step sampled in this context; what stands before it is carried. */
  ownFrom: number;
  role: RoleFilter;
  closed: ReadonlySet<GroupId>;
  /** Of the request it is compared with; null = not known. */
  prefix: PromptDiff['prefix'] | null;
}

/** Whether a message holds text of a person. The system prompt only speaks about the tag. */
export function hasHint({ role, content }: PromptMessage): boolean {
  return (role === 'tool' || role === 'user') && content.includes('<real_user>');
}

/** The list of messages in groups, in the order in which they are sent. A group without messages to show has no line. */
export function promptRows({ messages, ownFrom, role, closed, prefix }: PromptListing): PromptRow[] {
  const rows: PromptRow[] = [];
  const groups: Record<GroupId, number[]> = { head: [], carried: [], own: [], closing: [] };
  let begun = false;
  for (const [index, { step }] of messages.entries()) {
    begun ||= step > 0;
    const id = step > 0 ? (step < ownFrom ? 'carried' : 'own') : begun ? 'closing' : 'head';
    groups[id].push(index);
  }
  for (const id of groupIds) {
    const shown = groups[id].filter((index) => passes(messages[index], role));
    if (shown.length === 0) continue;
    const open = !closed.has(id);
    rows.push(groupRow(id, shown, messages, open));
    const edge = prefix === null ? -1 : prefix.messages - 1;
    if (open) {
      for (const index of shown) {
        rows.push({ kind: 'message', index });
        if (index === edge) rows.push({ kind: 'prefix', ...(prefix ?? { messages: 0, tokens: 0 }) });
      }
    }
  }
  return rows;
}

function groupRow(
  id: GroupId,
  indices: readonly number[],
  messages: readonly PromptMessage[],
  open: boolean,
): PromptRow {
  const steps = indices.map((index) => messages[index]?.step ?? 0);
  return {
    kind: 'group',
    id,
    open,
    messages: indices.length,
    steps: steps[0] === 0 ? null : { from: steps[0] ?? 0, to: steps.at(-1) ?? 0 },
    tokens: indices.reduce((sum, index) => sum + (messages[index]?.tokens ?? 0), 0),
  };
}

function passes(message: PromptMessage | undefined, role: RoleFilter): boolean {
  if (message === undefined) return false;
  return role === 'all' || (role === 'hints' ? hasHint(message) : message.role === role);
}

/** A line of the list of changes: one message, or a stretch of the same kind that is folded into one line. */
export type ChangeRow =
  | { kind: 'change'; change: PromptChange }
  | { kind: 'fold'; id: number; what: PromptChange['kind']; changes: PromptChange[]; open: boolean };

/** Stretches of this many messages and more are one line until they are opened. */
const FOLD_FROM = 4;

/** The list of changes; unchanged stretches are always folded, long stretches of one other kind as well. */
export function changeRows(changes: readonly PromptChange[], open: ReadonlySet<number>): ChangeRow[] {
  const rows: ChangeRow[] = [];
  for (let from = 0; from < changes.length; ) {
    const kind = changes[from]?.kind;
    let to = from + 1;
    while (to < changes.length && changes[to]?.kind === kind) to += 1;
    const stretch = changes.slice(from, to);
    if (kind !== undefined && (kind === 'same' || stretch.length >= FOLD_FROM)) {
      const isOpen = open.has(from);
      rows.push({ kind: 'fold', id: from, what: kind, changes: stretch, open: isOpen });
      if (isOpen) rows.push(...stretch.map((change) => ({ kind: 'change' as const, change })));
    } else {
      rows.push(...stretch.map((change) => ({ kind: 'change' as const, change })));
    }
    from = to;
  }
  return rows;
}

/** Indices of the messages that contain the text, ignoring case; none for an empty query. */
export function findMessages(messages: readonly PromptMessage[], query: string): number[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return [];
  return messages.flatMap(({ content, json }, index) =>
    content.toLowerCase().includes(wanted) || json.toLowerCase().includes(wanted) ? [index] : [],
  );
}

/** The first step sampled in the context that a step was asked in. */
export function ownFrom(segments: readonly SegmentView[], step: number): number {
  return segments.findLast(({ firstStep }) => firstStep <= step)?.firstStep ?? 1;
}

/** The request body, byte for byte as it was sent (its sha256 is the recorded one). */
export function bodyOf(prompt: Pick<PromptView, 'request' | 'tools' | 'messages'>): string {
  const opening = JSON.stringify(
    prompt.tools.length > 0
      ? { ...prompt.request, tools: prompt.tools, messages: [] }
      : { ...prompt.request, messages: [] },
  );
  const messages = prompt.messages.map(({ json }) => json).join(',');
  return `${opening.slice(0, -']}'.length)}${messages}]}`;
}
