import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { WaymarkError } from '@shared/contract/errors';
import { type ExportVariant, exportVariants } from '@shared/contract/export-request';
import type { DatasetDifference } from '@shared/contract/export-views';
import type { RecordOrigin, StepInDataset } from '@shared/contract/ipc/dataset';
import { DatasetRegistry, datasetView, type StoredDataset } from './dataset-registry';
import { type IndexedStep, indexLines, stepsOf } from './record-index';

/** Steps that a difference names; all are counted. */
const namedSteps = 2_000;
/** Places of a step that are named for each dataset and variant. */
const namedPlaces = 20;
/** An index of more text than this is not opened: one of a million steps has some 60 MB. */
const mostText = 480 * 1024 * 1024;

const unzip = promisify(gunzip);

/** What can be asked of past exports: answered from their indexes, whether or not their folders are still there. */
export class DatasetAnswers {
  private readonly registry: DatasetRegistry;
  /** The index that was asked for last. */
  private latest: { id: string; text: string } | null = null;

  constructor(workspace: string) {
    this.registry = new DatasetRegistry(workspace);
  }

  /** Steps whose mask differs, in the order of runs and steps. Of each dataset one variant: the first that both have, else its own first. */
  async difference(a: string, b: string): Promise<DatasetDifference> {
    const [first, second] = [await this.registry.get(a), await this.registry.get(b)];
    const common = first.variants.find((variant) => second.variants.includes(variant));
    const before = await this.masks(first, common ?? first.variants[0] ?? 'all');
    const after = await this.masks(second, common ?? second.variants[0] ?? 'all');
    const steps: DatasetDifference['steps'] = [];
    let count = 0;
    for (const run of [...new Set([...before.keys(), ...after.keys()])].sort()) {
      const [old, now] = [before.get(run), after.get(run)];
      const numbers = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].sort((x, y) => x - y);
      for (const step of numbers) {
        const [from, to] = [old?.get(step) ?? null, now?.get(step) ?? null];
        if ((from?.mask ?? null) === (to?.mask ?? null)) continue;
        count += 1;
        if (steps.length >= namedSteps) continue;
        steps.push({
          run,
          step,
          a: from?.mask ?? null,
          b: to?.mask ?? null,
          reasonA: why(from),
          reasonB: why(to),
        });
      }
    }
    return { a, b, steps, count };
  }

  /** Newest dataset first, variants in their own order. */
  async forStep(run: string, step: number): Promise<StepInDataset[]> {
    const found: StepInDataset[] = [];
    for (const stored of await this.registry.list()) {
      const variants = new Map<ExportVariant, Omit<StepInDataset, 'dataset'>>();
      for (const line of indexLines(await this.textOrNone(stored.id), run)) {
        const range =
          line?.run === run ? line.steps.find(([from, to]) => from <= step && step <= to) : undefined;
        if (line === null || range === undefined) continue;
        const [, , mask, source, reason] = range;
        const known = variants.get(line.variant) ?? {
          variant: line.variant,
          mask,
          source,
          reason,
          places: [],
        };
        const { file, from, to } = line;
        if (known.places.length < namedPlaces) known.places.push({ file, from, to });
        variants.set(line.variant, known);
      }
      if (variants.size === 0) continue;
      const dataset = await datasetView(stored);
      for (const variant of exportVariants) {
        const each = variants.get(variant);
        if (each !== undefined) found.push({ dataset, ...each });
      }
    }
    return found;
  }

  /** @param record from 1 */
  async row(id: string, file: string, record: number): Promise<RecordOrigin | null> {
    const { files } = await this.registry.get(id);
    if (!files.some(({ path }) => path === file)) {
      throw new WaymarkError(
        'not_found',
        `Dataset ${id.slice(0, 12)} has no data file ${JSON.stringify(file)}.`,
      );
    }
    for (const line of indexLines(await this.text(id), JSON.stringify(file))) {
      if (line?.file !== file || record < line.from || line.to < record) continue;
      const { run, segment, kind } = line;
      const steps = [...stepsOf(line)].slice(0, namedSteps);
      const step = (steps.find(({ mask }) => mask === 1) ?? steps[0])?.step ?? 1;
      return { run, segment, kind, steps, step };
    }
    return null;
  }

  private async masks(
    { id }: StoredDataset,
    variant: ExportVariant,
  ): Promise<Map<string, Map<number, IndexedStep>>> {
    const runs = new Map<string, Map<number, IndexedStep>>();
    for (const line of indexLines(await this.text(id), `"${variant}"`)) {
      if (line?.variant !== variant) continue;
      const known = runs.get(line.run) ?? new Map<number, IndexedStep>();
      for (const each of stepsOf(line)) {
        // A carried step that trains here too has its reason where it was sampled.
        const before = known.get(each.step);
        if (before === undefined || before.source === null) known.set(each.step, each);
      }
      runs.set(line.run, known);
    }
    return runs;
  }

  private async textOrNone(id: string): Promise<string> {
    try {
      return await this.text(id);
    } catch (thrown) {
      // A dataset without an index says nothing of steps, and hides no other.
      if (thrown instanceof WaymarkError && thrown.code === 'not_found') return '';
      throw thrown;
    }
  }

  private async text(id: string): Promise<string> {
    if (this.latest?.id === id) return this.latest.text;
    const packed = await this.registry.index(id);
    let text: string;
    try {
      text = (await unzip(packed, { maxOutputLength: mostText })).toString();
    } catch (thrown) {
      throw new WaymarkError(
        'bad_input',
        `The index of dataset ${id.slice(0, 12)} cannot be read. Remove it from the list and export it again.`,
        String(thrown),
      );
    }
    this.latest = { id, text };
    return text;
  }
}

function why(step: IndexedStep | null): string | null {
  if (step === null) return null;
  return [step.source, step.reason].filter((word) => word !== null).join(': ') || null;
}
