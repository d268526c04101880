import { type RowPlan, type VariantPlan, variantPlan } from '../plan';
import type { DatasetRow } from '../rows';
import { type AnswerStep, answerSteps, type RowMessage } from './chat-rows';
import type { TargetFacts } from './target';

/** The messages up to one trained answer, which is the last of them. */
export interface Prefix {
  context: readonly RowMessage[];
  answer: RowMessage;
  step: AnswerStep | null;
}

/**
 * A row as one sequence for each answer that trains, for loaders that have no mask per message: each unmasked turn is the last
 * message of exactly one of them, and everything before it is context.
 */
export function* prefixesOf(messages: readonly RowMessage[], row: DatasetRow): Generator<Prefix> {
  const steps = answerSteps(row);
  let answers = 0;
  for (const [at, answer] of messages.entries()) {
    if (answer.message.role !== 'assistant') continue;
    const step = steps[answers] ?? null;
    answers += 1;
    if (answer.trained) yield { context: messages.slice(0, at), answer, step };
  }
}

/**
 * What prefix expansion costs: records, and estimated tokens against one sequence for each row. The length of a prefix is
 * estimated from the row's, its steps taken as equally long.
 */
export function expansionCost({ rows }: Pick<VariantPlan, 'rows'>): {
  rows: number;
  records: number;
  rowTokens: number;
  recordTokens: number;
} {
  const cost = { rows: 0, records: 0, rowTokens: 0, recordTokens: 0 };
  for (const row of rows) {
    const lengths = prefixLengths(row);
    if (lengths.length === 0) continue;
    cost.rows += 1;
    cost.records += lengths.length;
    cost.rowTokens += row.tokens;
    cost.recordTokens += lengths.reduce((sum, tokens) => sum + tokens, 0);
  }
  return cost;
}

/** Records of a row: one for each step that trains in it. */
export function trainedSteps({ masks, carried }: Pick<RowPlan, 'masks' | 'carried'>): number {
  return [...masks.values(), ...carried.values()].filter((mask) => mask === 1).length;
}

function prefixLengths({ kind, masks, carried, segment, tokens }: RowPlan): number[] {
  const before = kind === 'react' ? segment.carried : [];
  const all = [...before.map(({ step }) => carried.get(step) ?? 0), ...masks.values()];
  return all.flatMap((mask, at) => (mask === 1 ? [Math.round((tokens * (at + 1)) / all.length)] : []));
}

/** The paragraph of a README about that cost. */
export function expansionText({ plan, files }: Pick<TargetFacts, 'plan' | 'files'>): string {
  const { rows, records, rowTokens, recordTokens } = expansionCost(variantPlan(plan));
  const written = files.reduce((sum, file) => sum + file.records, 0);
  const times = rowTokens === 0 ? 1 : recordTokens / rowTokens;
  return `One record holds one trained step: everything before it is context. ${rows} ${rows === 1 ? 'trajectory becomes' : 'trajectories become'}
${records} ${records === 1 ? 'record' : 'records'} (${written} in all files, with repetition and variants). That is about ${recordTokens} tokens to process
instead of about ${rowTokens} in one sequence for each trajectory, ${times.toFixed(1)} times as many (estimates). A format with a mask
for each message (slime, axolotl, ms-swift, TRL) trains the same steps without this cost.`;
}
