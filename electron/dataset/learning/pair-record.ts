import type { RowPlan } from '../plan';
import { chatRecord, messageProblems } from '../targets/chat-record';
import { clean } from '../targets/plain-message';
import type { RecordMaker, Target, TargetContext } from '../targets/target';
import { PairFinder, type PreferencePair } from './preference-pairs';

/** What a pair is and how it was found, for the README of formats that hold pairs. */
export const pairNotes = `
## Pairs

| \`metadata\` | meaning |
|---|---|
| \`kind\` | \`correction\`: a person wrote what the step should have been, and that is \`chosen\`; what the model did is \`rejected\`. \`branch\`: two runs continued from the same step, and \`chosen\` is from the run with the higher score |
| \`chosen\`, \`rejected\` | run, step and its id, and the \`model\` that gave the answer; of a branch the \`score\` of its run, and whether it is the \`final\` or the \`best\` one |
| \`score_gap\` | points between the two runs; absent for corrections |
| \`shared_messages\` | messages at the beginning of \`prompt\` that both answers were asked with, byte for byte |
| \`by\` | who corrected the step |

- \`prompt\` is what the chosen answer was asked with. The rejected one of a branch was asked with the same messages up to the
  step after which the runs parted; behind it, a line on budgets, a hint from a person or the note that the run is a
  branch may differ.
- A pair of branches is taken at the first answer in which the runs differ. The scores are those of whole runs, so a gap can also
  come from later steps: the larger it is, the surer the pair.
- A correction has no reasoning, so the reasoning of the rejected answer is left out of its pair.
- The chosen answer is a person's correction or a step that trains in this variant.
- Images stay in user messages as OpenAI's parts, with \`data:\` addresses. Models that take no images need rows without them.`;

/** The record that both trainers of pairs read. */
function pairRecord(pair: PreferencePair, form: 'string' | 'object'): Record<string, unknown> {
  const { kind, prompt, chosen, rejected, tools, row, sharedMessages, by, gap } = pair;
  const { task } = row.run.created;
  const side = ({ run, step, id, model, score, scoreIs }: PreferencePair['chosen']) => ({
    run,
    step,
    id,
    ...(model === null ? {} : { model }),
    ...(score === null ? {} : { score, score_is: scoreIs }),
  });
  return {
    prompt: prompt.map((message) => chatRecord(message, form)),
    chosen: [chatRecord(chosen.answer, form)],
    rejected: [chatRecord(rejected.answer, form)],
    tools: JSON.stringify(tools),
    metadata: {
      kind,
      task: task.id,
      task_hash: task.hash,
      shared_messages: sharedMessages,
      chosen: side(chosen),
      rejected: side(rejected),
      ...(by === null ? {} : { by }),
      ...(gap === null ? {} : { score_gap: gap }),
    },
  };
}

/** What is wrong with the prompt or the two answers of a pair, or with its tools. */
export function pairProblems({
  prompt,
  chosen,
  rejected,
  tools,
}: Readonly<Record<string, unknown>>): string[] {
  const found = Object.entries({ prompt, chosen, rejected }).flatMap(([name, messages]) =>
    messageProblems(messages, name),
  );
  for (const [name, side] of Object.entries({ chosen, rejected })) {
    const [only, ...more] = Array.isArray(side) ? side : [];
    if (more.length > 0 || only?.role !== 'assistant') found.push(`${name} is not one answer`);
  }
  if (JSON.stringify(chosen) === JSON.stringify(rejected)) found.push('chosen and rejected are the same');
  if (typeof tools !== 'string') found.push('tools is not JSON text');
  return found;
}

/** Steps of the row that made the pair which are in it. */
function stepsOf({ chosen, rejected, row }: PreferencePair): number[] {
  const own = [chosen, rejected].filter(({ run }) => run === row.run.created.run);
  return [...new Set(own.map(({ step }) => step))];
}

/** What both formats of pairs have in common: how they are stored, and of which rows. */
export const pairShape = {
  encodings: ['jsonl'],
  compressions: ['none', 'gzip', 'zstd'],
  kinds: ['react', 'summary'],
  untrained: 'keep',
  argumentsForm: 'template',
  repeats: 'never',
  recordsOf: ({ steps }: RowPlan) => steps.reduce((sum, { corrections }) => sum + corrections.length, 0),
} as const satisfies Partial<Target>;

/** Makes a record of each pair. `more`: what a format adds to it. */
export function pairMaker(
  { plan, argumentsForm }: Pick<TargetContext, 'plan' | 'argumentsForm'>,
  more: (pair: PreferencePair) => Readonly<Record<string, unknown>> = () => ({}),
): RecordMaker {
  const finder = new PairFinder(plan, argumentsForm);
  return {
    *records(row) {
      for (const pair of finder.pairsOf(row)) {
        const record = { ...pairRecord(pair, argumentsForm), ...more(pair) };
        yield { value: clean(record), trained: 1, steps: stepsOf(pair) };
      }
    },
    dropped: () => finder.dropped(),
    save: () => finder.save(),
    restore: (saved) => finder.restore(saved),
  };
}
