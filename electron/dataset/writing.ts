import { WaymarkError } from '@shared/contract/errors';
import type { RecordSink } from './data-file';
import type { DatasetFolder } from './dataset-folder';
import type { DatasetReader } from './event-pages';
import { type IndexedStep, type IndexLine, indexedSteps, indexLineOf } from './past/record-index';
import { type ExportPlan, type RowPlan, type VariantPlan, variantPlan } from './plan';
import { redactRow } from './redaction/redact-row';
import type { Redactor } from './redaction/redactor';
import { type DatasetRow, type RowBorder, type RowPlace, rowsAndBorders } from './rows';
import { type SavedSinks, type SinkName, Sinks } from './sinks';
import type { RecordMaker, Target, TargetContext, TargetDrop, TargetRecord } from './targets/target';

/** What a killed export goes on from: everything before it is on the disk. */
export interface SavedWriting {
  place: RowPlace;
  sinks: SavedSinks;
  /** Of each variant's maker, in their order. */
  makers: unknown[];
  notAsSent: number;
  /** Events of the rows before it. */
  events: number;
}

export interface WritingInput {
  reader: DatasetReader;
  plan: ExportPlan;
  target: Target;
  redactor: Redactor;
  /** Of a variant's maker. */
  context: Omit<TargetContext, 'plan' | 'reader' | 'variant'>;
  onEvents(count: number): void;
  /** Fewest events between two borders. */
  borderEvents: number;
  /** Keeps what was saved as it is now, once `synced`: everything up to here is on the disk then. */
  atBorder(saved: SavedWriting, synced: Promise<void>): Promise<void>;
}

/** What takes the records of all variants; `end` and `border` are for files. */
export type AnySinks = Pick<Sinks, 'border' | 'sync' | 'end' | 'close' | 'records' | 'bytes'> & {
  of(name: SinkName): Promise<{ sink: Pick<RecordSink, 'add' | 'records'>; path: string }>;
  index: { add(line: IndexLine): Promise<void> | void };
};

/** Borders in one export, at most, about: work that is done again after a kill is what lies between two. */
const borders = 50;

/** Writes the records of all variants in one pass over the events. */
export class Writing {
  notAsSent = 0;
  private events = 0;
  /** The last border is kept while further rows are made. */
  private keeping: Promise<void> = Promise.resolve();

  private constructor(
    private readonly input: WritingInput,
    readonly sinks: AnySinks,
    private readonly makers: ReadonlyMap<string, RecordMaker>,
    private readonly from: RowPlace | undefined,
  ) {}

  static async begin(folder: DatasetFolder, input: WritingInput): Promise<Writing> {
    return Writing.into(await Sinks.begin(folder, input.plan, input.target), input);
  }

  /** Makes the records for whatever takes them. */
  static async into(sinks: AnySinks, input: WritingInput): Promise<Writing> {
    return new Writing(input, sinks, await beginMakers(input), undefined);
  }

  /** Null when a file is not what it was at the border. */
  static async goOn(
    folder: DatasetFolder,
    input: WritingInput,
    saved: SavedWriting,
  ): Promise<Writing | null> {
    const makers = await beginMakers(input);
    const sinks = await Sinks.goOn(folder, input.plan, input.target, saved.sinks);
    if (sinks === null) return null;
    for (const [index, maker] of [...makers.values()].entries()) maker.restore?.(saved.makers[index]);
    const writing = new Writing(input, sinks, makers, saved.place);
    writing.notAsSent = saved.notAsSent;
    writing.events = saved.events;
    return writing;
  }

  /** What each variant's maker left out. */
  get dropped(): Map<VariantPlan['variant'], TargetDrop[]> {
    return new Map(
      [...this.makers].map(([variant, maker]) => [variant as VariantPlan['variant'], maker.dropped()]),
    );
  }

  async run(): Promise<void> {
    const { reader, plan, context, borderEvents } = this.input;
    const goesOn = [...this.makers.values()].every(
      ({ save, restore }) => save !== undefined && restore !== undefined,
    );
    const every = Math.max(borderEvents, Math.ceil(eventsOf(plan) / borders));
    let since = 0;
    const onEvents = (count: number) => {
      since += count;
      this.events += count;
      this.input.onEvents(count);
    };
    const rows = rowsAndBorders(reader, plan, { signal: context.signal, onEvents, from: this.from });
    try {
      for await (const each of rows) {
        if ('plan' in each) await this.row(each);
        else if (goesOn && since >= every) {
          since = 0;
          await this.border(each);
        }
      }
    } finally {
      // Whatever became of it: nobody lets go of the folder before.
      await this.keeping.catch(() => undefined);
    }
    await this.keeping;
    for (const [variant, maker] of this.makers)
      for await (const record of maker.rest?.() ?? [])
        await this.rest(variant as VariantPlan['variant'], record);
  }

  private async border({ place }: RowBorder): Promise<void> {
    await this.keeping;
    const saved = {
      sinks: await this.sinks.border(),
      place: place(),
      makers: [...this.makers.values()].map((maker) => maker.save?.()),
      notAsSent: this.notAsSent,
      events: this.events,
    };
    this.keeping = this.input.atBorder(saved, this.sinks.sync());
    // Its failure is thrown at the next border, or at the end.
    this.keeping.catch(() => undefined);
  }

  private async row(whole: DatasetRow): Promise<void> {
    const { plan, redactor } = this.input;
    const row = redactRow(whole, redactor);
    const { variant } = row;
    const maker = this.makers.get(variant);
    if (maker === undefined) throw new WaymarkError('bug', `Variant ${variant} has no maker of records.`);
    if (row.notAsSent.length > 0 && variant === variantPlan(plan).variant) this.notAsSent += 1;
    const records = [...maker.records(row)].map((record) => redacted(record, redactor));
    for (const record of records) this.check(record, row.plan);
    for (let copy = 0; copy < plan.repeat[row.plan.kind]; copy += 1)
      for (const record of records) await this.write({ variant, split: row.plan.split }, record, row.plan);
    await this.flushIndex();
  }

  private async rest(variant: VariantPlan['variant'], whole: TargetRecord): Promise<void> {
    const record = redacted(whole, this.input.redactor);
    this.check(record, record.of ?? null);
    await this.write({ variant, split: record.of?.split ?? 'train' }, record, record.of ?? null);
    await this.flushIndex();
  }

  /** What the target says of a record, before a byte of it is written. @throws WaymarkError refused */
  private check({ value }: TargetRecord, row: RowPlan | null): void {
    const { target } = this.input;
    const [first, ...others] = target.problems(value);
    if (first === undefined) return;
    const where =
      row === null
        ? 'A record'
        : `The ${row.kind} row of segment ${row.segment.segment} of run ${row.run.created.run}`;
    throw new WaymarkError(
      'refused',
      `${where} cannot be written for ${target.title}: ${first}. Nothing was written. Leave the run out, or choose another format.`,
      others.slice(0, 20).join('\n') || undefined,
    );
  }

  /** The line of the index that the next record may still join. */
  private open: { line: ReturnType<typeof indexLineOf>; steps: readonly number[] | undefined } | null = null;

  private async write(name: SinkName, record: TargetRecord, row: RowPlan | null): Promise<void> {
    const { variant, split } = name;
    const { part } = record;
    const { sink, path } = await this.sinks.of(
      part === undefined ? { variant, split } : { variant, split, part },
    );
    await sink.add(record.value, record.name);
    if (row === null) return;
    const isDocument = record.name !== undefined && !/\.(jsonl|json|parquet)(\.gz|\.zst)?$/.test(path);
    const file = isDocument ? `${path}/${record.name}` : path;
    const at = isDocument ? 1 : sink.records;
    const { open } = this;
    if (open !== null && open.line.file === file && open.line.to === at - 1 && open.steps === record.steps) {
      open.line.to = at;
      return;
    }
    await this.flushIndex();
    const { run, segment, kind } = row;
    const facts = { run: run.created.run, segment: segment.segment, kind };
    this.open = {
      line: indexLineOf(facts, { file, from: at, to: at, variant }, stepsOf(row, record.steps)),
      steps: record.steps,
    };
  }

  private async flushIndex(): Promise<void> {
    if (this.open === null) return;
    const { line } = this.open;
    this.open = null;
    await this.sinks.index.add(this.input.redactor.record({ ...line }) as IndexLine);
  }
}

function redacted(record: TargetRecord, redactor: Redactor): TargetRecord {
  const value = redactor.record(record.value);
  return value === record.value ? record : { ...record, value };
}

function stepsOf(row: RowPlan, only: readonly number[] | undefined): IndexedStep[] {
  const steps = indexedSteps(row);
  return only === undefined ? steps : steps.filter(({ step }) => only.includes(step));
}

async function beginMakers({
  plan,
  target,
  reader,
  context,
}: WritingInput): Promise<Map<string, RecordMaker>> {
  const makers = new Map<string, RecordMaker>();
  for (const { variant } of plan.variants)
    makers.set(variant, await target.begin({ ...context, plan, reader, variant }));
  return makers;
}

/** Events that are read for the rows of a plan, about: runs are read to the end of their last row. */
export function eventsOf({ runs }: Pick<ExportPlan, 'runs'>): number {
  return runs.reduce((sum, { seq }) => sum + seq, 0);
}
