import { type ExportVariant, exportVariants } from '@shared/contract/export-request';
import type { RowName } from '@shared/contract/export-views';
import { idSchema } from '@shared/contract/id';
import { z } from 'zod';
import type { RowPlan } from '../plan';

/**
 * `records.index` of a dataset says where its records are from, for formats whose records do not: JSON in lines, of which no
 * loader takes the name for a data file. Records of one row that follow each other share a line.
 */
export const indexFile = 'records.index';

const mask = z.union([z.literal(0), z.literal(1)]);
const word = z.string().nullable();
/** First and last step, mask, who decided, and why. */
const range = z.tuple([z.int().positive(), z.int().positive(), mask, word, word]);

export const indexLine = z.object({
  /** Data file, and its records from 1, both included. */
  file: z.string(),
  from: z.int().positive(),
  to: z.int().positive(),
  variant: z.enum(exportVariants),
  run: idSchema,
  segment: z.int().nonnegative(),
  kind: z.enum(['react', 'summary']),
  /** Steps that get loss or are masked in these records; those that are context only are left out. */
  steps: z.array(range),
});
export type IndexLine = z.infer<typeof indexLine>;
export type IndexedStep = { step: number; mask: 0 | 1; source: string | null; reason: string | null };

/** What the records of a row hold of its steps: those sampled in it, then carried ones that train here too. */
export function indexedSteps({
  steps,
  masks,
  carried,
}: Pick<RowPlan, 'steps' | 'masks' | 'carried'>): IndexedStep[] {
  return [
    ...steps.map(({ step, label }) => ({
      step,
      mask: masks.get(step) ?? 0,
      source: label.source ?? null,
      reason: label.reason ?? null,
    })),
    ...[...carried].map(([step, value]) => ({ step, mask: value, source: null, reason: null })),
  ];
}

export function indexLineOf(
  { run, segment, kind }: RowName,
  records: { file: string; from: number; to: number; variant: ExportVariant },
  steps: readonly IndexedStep[],
): IndexLine {
  return { ...records, run, segment, kind, steps: rangesOf(steps) };
}

function rangesOf(steps: readonly IndexedStep[]): IndexLine['steps'] {
  const ranges: IndexLine['steps'] = [];
  for (const { step, mask: value, source, reason } of steps) {
    const last = ranges.at(-1);
    if (last && last[1] === step - 1 && last[2] === value && last[3] === source && last[4] === reason)
      last[1] = step;
    else ranges.push([step, step, value, source, reason]);
  }
  return ranges;
}

/** Most steps that one line may name: a line is somebody's file, and a range is short. */
const mostSteps = 10_000_000;

/** The steps of a line, each. */
export function* stepsOf({ steps }: Pick<IndexLine, 'steps'>): Generator<IndexedStep> {
  let count = 0;
  for (const [from, to, value, source, reason] of steps) {
    for (let step = from; step <= to; step += 1) {
      count += 1;
      if (count > mostSteps) return;
      yield { step, mask: value, source, reason };
    }
  }
}

/** Lines of an index, one by one; null for one that is none. `about`: only lines with this text in them are parsed. */
export function* indexLines(text: string, about = ''): Generator<IndexLine | null> {
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
    if (line.includes(about)) yield parsedLine(line);
  }
}

function parsedLine(line: string): IndexLine | null {
  try {
    return indexLine.safeParse(JSON.parse(line)).data ?? null;
  } catch (thrown) {
    // Somebody else's file, or half a line of a full disk.
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
