import type { ExportVariant } from '@shared/contract/export-request';
import type { IndexLine } from './record-index';
import type { WrittenManifest } from './written-manifest';

type Figures = NonNullable<WrittenManifest['variants']>[number];

interface CountedRow {
  run: string;
  kind: IndexLine['kind'];
  steps: IndexLine['steps'];
}

/** Figures of a dataset whose rows make a record each, counted again from the index of its records. */
export class Recount {
  private readonly rows = new Map<ExportVariant, Map<string, CountedRow>>();
  /** Variants in which records of one row hold other steps than their neighbours. */
  private readonly parted = new Set<ExportVariant>();

  add({ variant, run, segment, kind, steps }: IndexLine): void {
    const rows = this.rows.get(variant) ?? new Map<string, CountedRow>();
    this.rows.set(variant, rows);
    const key = `${run} ${segment} ${kind}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { run, kind, steps });
    else if (JSON.stringify(known.steps) !== JSON.stringify(steps)) this.parted.add(variant);
  }

  /** What a variant's figures are otherwise, in words; nothing where its records do not tell. */
  differences({ variant, trajectories, trained, masked, left_out: leftOut }: Figures): string[] {
    if (leftOut.length > 0) return [];
    const rows = [...(this.rows.get(variant)?.values() ?? [])];
    const of = (kind: IndexLine['kind']) => rows.filter((row) => row.kind === kind).length;
    const steps = (mask: 0 | 1) => rows.reduce((sum, row) => sum + countOwn(row.steps, mask), 0);
    const figures: [name: string, said: number, found: number][] = [
      ['rows of kind react', trajectories.react, of('react')],
      ['rows of kind summary', trajectories.summary, of('summary')],
    ];
    if (!this.parted.has(variant))
      figures.push(['trained steps', trained, steps(1)], ['masked steps', masked, steps(0)]);
    return figures.flatMap(([name, said, found]) =>
      said === found
        ? []
        : [`It says ${said} ${name} in variant ${variant}; the index of its records has ${found}.`],
    );
  }

  /** What stands twice in the manifest and not alike, in words: `counts` are those of the first variant. */
  twiceDifferences({ counts, variants }: WrittenManifest): string[] {
    const [first] = variants ?? [];
    if (counts === undefined || first === undefined) return [];
    const told: Readonly<Record<string, unknown>> = first;
    return Object.keys(counts).flatMap((name) =>
      !(name in told) || JSON.stringify(counts[name]) === JSON.stringify(told[name])
        ? []
        : [`It says something else under counts.${name} than for its first variant, ${first.variant}.`],
    );
  }

  /** What the rows of the first variant are made of otherwise than the manifest says, in words. */
  compositionDifferences({ variants, composition, runs }: WrittenManifest): string[] {
    const [first] = variants ?? [];
    if (composition === undefined || first === undefined || first.left_out.length > 0) return [];
    if (this.parted.has(first.variant)) return [];
    const keys = new Map(runs.map(({ run, task, task_hash: hash }) => [run, `${task}\n${hash}`]));
    const byTask = new Map(composition.map(({ task, hash }) => [`${task}\n${hash}`, [] as CountedRow[]]));
    const lacking = new Set<string>();
    for (const row of this.rows.get(first.variant)?.values() ?? []) {
      const own = byTask.get(keys.get(row.run) ?? '');
      if (own === undefined) lacking.add(row.run);
      else own.push(row);
    }
    return [
      ...[...lacking].map((run) => `Its composition lacks the task of run ${run}.`),
      ...composition.flatMap(({ task, hash, ...said }) => {
        const own = byTask.get(`${task}\n${hash}`) ?? [];
        const steps = (mask: 0 | 1) => own.reduce((sum, row) => sum + countOwn(row.steps, mask), 0);
        const figures: [name: string, said: number, found: number][] = [
          ['runs', said.runs, new Set(own.map(({ run }) => run)).size],
          ['rows', said.rows, own.length],
          ['trained steps', said.trained, steps(1)],
          ['masked steps', said.masked, steps(0)],
        ];
        return figures.flatMap(([name, its, found]) =>
          its === found
            ? []
            : [`It says ${its} ${name} of task ${task}; the index of its records has ${found}.`],
        );
      }),
    ];
  }
}

/** Steps sampled in the row: carried ones, which are older, stand behind them. */
function countOwn(steps: IndexLine['steps'], wanted: 0 | 1): number {
  let sum = 0;
  let last = 0;
  for (const [from, to, mask] of steps) {
    if (from <= last) break;
    last = to;
    if (mask === wanted) sum += to - from + 1;
  }
  return sum;
}
