import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { inside } from '../../files/inside';
import type { DatasetReader } from '../event-pages';
import { planExport } from '../export-plan';
import { jsonLine } from '../json-line';
import { manifestFile } from '../manifest';
import type { ExportPlan } from '../plan';
import { Redactor } from '../redaction/redactor';
import { encodingOf, sinkPath } from '../sinks';
import { isPurgedSince } from '../still-there';
import { loadTarget } from '../targets/table';
import type { Target } from '../targets/target';
import { type AnySinks, Writing } from '../writing';
import { openDataFile, type ReadRecord, readRecords } from './read-records';
import { recordDifference } from './record-difference';
import { indexFile, indexLine } from './record-index';
import { Recount } from './recount';
import { readManifest, type WrittenManifest } from './written-manifest';

export interface DatasetProblem {
  file: string;
  /** Line, or row of a Parquet file, from 1; null: the file as a whole. */
  line: number | null;
  what: string;
}

export interface DatasetCheck {
  ok: boolean;
  problems: DatasetProblem[];
  /** What is no problem, and worth knowing: labels that have changed since, say. */
  notes: string[];
  files: number;
  records: number;
}

/** Problems that are named; the rest is counted in a note. */
const namedProblems = 1_000;

type Checked = WrittenManifest['files'][number];

/**
 * Checks a dataset folder: hashes against the manifest, its figures against the index of the records, every record by the rules of its loader, and every record against what the
 * workspace's events and the labels of the pinned snapshot give. It reads everything and changes nothing.
 * @throws WaymarkError not_found, bad_input for a folder that is no dataset; `cancelled`
 */
export async function verifyDataset(
  folder: string,
  reader: DatasetReader,
  signal?: AbortSignal,
): Promise<DatasetCheck> {
  const { manifest } = await readManifest(folder);
  const check = new Check(folder, manifest, await loadTarget(manifest.exporter));
  await check.hashes();
  await check.figures();
  const plan = await check.plan(reader, signal);
  if (plan === null) await check.records();
  else await check.against(reader, plan, signal);
  return check.result();
}

class Check {
  private readonly problems: DatasetProblem[] = [];
  private readonly notes: string[] = [];
  private more = 0;
  private seen = 0;
  /** Files that are there and can be read. */
  private readonly readable = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly manifest: WrittenManifest,
    private readonly target: Target,
  ) {}

  result(): DatasetCheck {
    const { problems, manifest } = this;
    const more = this.more;
    const notes = more === 0 ? this.notes : [...this.notes, `${more} more problems are not listed.`];
    return {
      ok: problems.length === 0,
      problems,
      notes,
      files: manifest.files.length,
      records: this.seen,
    };
  }

  async hashes(): Promise<void> {
    for (const file of this.manifest.files) await this.hash(file);
    const listed = new Set([manifestFile, ...this.manifest.files.map(({ path }) => path)]);
    for (const path of await filesBelow(this.folder))
      if (!listed.has(path))
        this.add(path, null, 'The manifest does not name this file. Remove it, or export again.');
  }

  private async hash({ path, bytes, sha256 }: Checked): Promise<void> {
    try {
      const handle = await openDataFile(inside(this.folder, ...path.split('/')));
      try {
        const hash = createHash('sha256');
        let size = 0;
        for await (const chunk of handle.createReadStream({ highWaterMark: 4 << 20, autoClose: false })) {
          hash.update(chunk as Buffer);
          size += (chunk as Buffer).length;
        }
        this.readable.add(path);
        if (size !== bytes) this.add(path, null, `It has ${size} bytes; the manifest says ${bytes}.`);
        else if (hash.digest('hex') !== sha256)
          this.add(path, null, 'Its sha256 is not the one in the manifest.');
      } finally {
        await handle.close();
      }
    } catch (thrown) {
      this.add(path, null, `It cannot be read: ${reasonOf(thrown)}.`);
    }
  }

  /** What the manifest says of rows and steps, against what its records are said to be from. */
  async figures(): Promise<void> {
    const recount = new Recount();
    for (const what of recount.twiceDifferences(this.manifest)) this.add(manifestFile, null, what);
    // A row of which there may be no record, or one for each of some steps, cannot be counted from them.
    if (!this.readable.has(indexFile) || this.target.recordsOf !== undefined) return;
    for await (const record of this.read(indexFile)) {
      const line = 'problem' in record ? undefined : indexLine.safeParse(record.value).data;
      if (line !== undefined) recount.add(line);
      else
        this.add(indexFile, record.line, 'problem' in record ? record.problem : 'It is no line of an index.');
    }
    for (const each of this.manifest.variants ?? [])
      for (const what of recount.differences(each)) this.add(manifestFile, null, what);
    for (const what of recount.compositionDifferences(this.manifest)) this.add(manifestFile, null, what);
  }

  /** What the workspace gives for the snapshot of the manifest; null when it cannot be made any more, with a note why. */
  async plan(reader: DatasetReader, signal?: AbortSignal): Promise<ExportPlan | null> {
    const { runs, request, snapshot } = this.manifest;
    const pinned = pinnedReader(reader, runs);
    const options = { ...request, runs: runs.map(({ run }) => run), signal };
    let plan: ExportPlan;
    try {
      const later = await laterEntries(reader, runs);
      if (later > 0)
        this.notes.push(
          `Labels have changed since: ${later} ${later === 1 ? 'entry was' : 'entries were'} added to the runs of this dataset. It is compared with the labels of its own snapshot; export again for those of today.`,
        );
      for (const { run, events } of runs) {
        if (!(await isPurgedSince(reader, run, events, signal))) continue;
        this.notes.push(
          `Masks were not compared with the workspace: texts of run ${run} were purged since, and this dataset still holds them.`,
        );
        return null;
      }
      plan = await planExport(pinned, options);
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError) || thrown.code === 'cancelled') throw thrown;
      this.notes.push(`Masks were not compared with the workspace: ${thrown.message}`);
      return null;
    }
    if (plan.snapshot === snapshot.sha256) return plan;
    this.notes.push(
      'Masks were not compared with the workspace: rules or labels of its runs were changed since in a way that the snapshot of this dataset cannot be made again. Export again for the labels of today.',
    );
    return null;
  }

  /** Every record by the rules of its loader. */
  async records(): Promise<void> {
    for (const file of this.dataFiles()) {
      let count = 0;
      for await (const record of this.read(file.path)) {
        count += 1;
        this.checkRules(file.path, record);
      }
      this.seen += count;
      this.counted(file, count);
    }
  }

  /** Every record by the rules of its loader, and against what the workspace gives. */
  async against(reader: DatasetReader, plan: ExportPlan, signal?: AbortSignal): Promise<void> {
    const files = new Map(this.dataFiles().map((file) => [file.path, file]));
    const open = new Map<string, OpenFile>();
    const take = async (path: string, value: Readonly<Record<string, unknown>>) => {
      const known = open.get(path);
      const file = known ?? new OpenFile(this.read(path));
      if (known === undefined) {
        open.set(path, file);
        if (!files.has(path))
          this.add(path, null, 'The manifest does not name this data file, which the workspace gives.');
      }
      const record = await file.next();
      if (record === null) return;
      this.seen += 1;
      this.checkRules(path, record);
      if (!('problem' in record)) this.compare(path, record, value);
    };
    const index = new OpenFile(this.read(indexFile));
    const sinks: AnySinks = {
      of: async (name) => {
        const path = sinkPath(plan, this.target, name);
        const isFolder = encodingOf(plan, this.target) === 'documents';
        return {
          path,
          sink: {
            get records() {
              return open.get(path)?.taken ?? 0;
            },
            add: (value, document) => take(isFolder ? `${path}/${document ?? ''}` : path, value),
          },
        };
      },
      index: {
        add: async (line) => {
          const record = await index.next();
          if (record === null || 'problem' in record) return;
          const difference = recordDifference(record.value, line, false);
          if (difference !== null) this.add(indexFile, record.line, said(difference));
        },
      },
      border: () => Promise.reject(new WaymarkError('bug', 'A check has no borders.')),
      sync: () => Promise.reject(new WaymarkError('bug', 'A check writes nothing.')),
      end: () => Promise.reject(new WaymarkError('bug', 'A check writes nothing.')),
      close: async () => undefined,
      records: 0,
      bytes: 0,
    };
    const writing = await Writing.into(sinks, {
      reader,
      plan,
      target: this.target,
      redactor: asTheyAre(),
      onEvents: () => undefined,
      context: { argumentsForm: this.manifest.arguments, signal },
      borderEvents: Number.POSITIVE_INFINITY,
      atBorder: async () => undefined,
    });
    try {
      await writing.run();
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError) || ['cancelled', 'bug'].includes(thrown.code)) throw thrown;
      this.notes.push(`Not all masks were compared with the workspace: ${thrown.message}`);
    }
    for (const [path, file] of files) {
      const read = open.get(path) ?? new OpenFile(this.read(path));
      await this.surplus(path, read);
      this.counted(file, read.found);
      if (read.found < read.taken)
        this.add(path, null, `It holds ${read.found} records; the workspace gives ${read.taken}.`);
    }
    await this.surplus(indexFile, index);
    if (index.found < index.taken) this.add(indexFile, null, 'Lines are missing at its end.');
  }

  private async surplus(path: string, read: OpenFile): Promise<void> {
    const wanted = read.taken;
    for (let record = await read.next(); record !== null; record = await read.next()) {
      if ('problem' in record) this.add(path, record.line, record.problem);
    }
    if (read.found > wanted)
      this.add(path, wanted + 1, `${read.found - wanted} records are more than the workspace gives.`);
    read.taken = wanted;
  }

  private compare(
    path: string,
    record: Exclude<ReadRecord, { problem: string }>,
    expected: Readonly<Record<string, unknown>>,
  ): void {
    if (record.text === null) {
      const row = this.target.parquet?.row?.(expected) ?? expected;
      const columns = Object.fromEntries(
        (this.target.parquet?.columns ?? []).map((name) => [name, row[name]]),
      );
      const difference = recordDifference(record.value, JSON.parse(jsonLine(columns)), this.isRedacted);
      if (difference !== null) this.add(path, record.line, said(difference));
      return;
    }
    const text = jsonLine(expected);
    if (record.text === text) return;
    const difference = recordDifference(record.value, JSON.parse(text), this.isRedacted);
    if (difference !== null) this.add(path, record.line, said(difference));
  }

  private get isRedacted(): boolean {
    return this.manifest.redaction.mode !== 'off';
  }

  private checkRules(path: string, record: ReadRecord): void {
    if ('problem' in record) {
      this.add(path, record.line, record.problem);
      return;
    }
    // Columns of Parquet are made from a checked record, and are no record themselves.
    if (record.text === null && this.target.parquet?.row !== undefined) return;
    const { value } = record;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.add(path, record.line, 'It is not an object.');
      return;
    }
    for (const what of this.target.problems(value as Readonly<Record<string, unknown>>))
      this.add(path, record.line, what);
  }

  private counted({ path, records }: Checked, found: number): void {
    if (records !== undefined && records !== found && this.readable.has(path))
      this.add(path, null, `It holds ${found} records; the manifest says ${records}.`);
  }

  private dataFiles(): Checked[] {
    return this.manifest.files.filter(({ records }) => records !== undefined);
  }

  private async *read(path: string): AsyncGenerator<ReadRecord> {
    if (!this.readable.has(path)) return;
    const { request, compression } = this.manifest;
    const isIndex = path === indexFile;
    const encoding = isIndex ? 'jsonl' : encodingOf({ options: request }, this.target);
    try {
      yield* readRecords(inside(this.folder, ...path.split('/')), {
        encoding,
        compression: isIndex ? 'none' : compression,
      });
    } catch (thrown) {
      if (thrown instanceof WaymarkError && thrown.code === 'bug') throw thrown;
      yield { line: 0, problem: `It cannot be read to its end: ${reasonOf(thrown)}.` };
    }
  }

  private add(file: string, line: number | null, what: string): void {
    if (this.problems.length < namedProblems)
      this.problems.push({ file, line: line === 0 ? null : line, what });
    else this.more += 1;
  }
}

/** A data file that is read in step with what it should hold. */
class OpenFile {
  /** Records that were asked for. */
  taken = 0;
  found = 0;

  constructor(private readonly records: AsyncGenerator<ReadRecord>) {}

  async next(): Promise<ReadRecord | null> {
    this.taken += 1;
    const next = await this.records.next();
    if (next.done === true) return null;
    if (!('problem' in next.value)) this.found += 1;
    return next.value;
  }
}

function said({ path, found, expected }: NonNullable<ReturnType<typeof recordDifference>>): string {
  return `${path} is ${found}; by the labels of the snapshot it is ${expected}.`;
}

function reasonOf(thrown: unknown): string {
  const { code, message } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it is not there';
  if (code === 'ELOOP') return 'it is a link, and links are not followed';
  return message ?? String(thrown);
}

/** Runs end where they ended, and know the labels that they had. */
function pinnedReader(reader: DatasetReader, runs: WrittenManifest['runs']): DatasetReader {
  const headOf = new Map(runs.map((each) => [each.run, each]));
  /** Entries given out so far, by run: pages come one after the other. */
  const counts = new Map<string, number>();
  const cut = async (run: string) => {
    const now = await reader.run(run);
    return { ...now, seq: Math.min(now.seq, headOf.get(run)?.events ?? now.seq) };
  };
  return {
    runs: () => Promise.all(runs.map(({ run }) => cut(run))),
    run: cut,
    events: (...args) => reader.events(...args),
    ruleSettings: (...args) => reader.ruleSettings(...args),
    annotationPage: async (run, after) => {
      const page = await reader.annotationPage(run, after);
      const known = counts.get(run) ?? 0;
      const left = (headOf.get(run)?.annotations ?? Number.POSITIVE_INFINITY) - (after === 0 ? 0 : known);
      counts.set(run, (after === 0 ? 0 : known) + page.entries.length);
      return left > page.entries.length
        ? page
        : { entries: page.entries.slice(0, Math.max(0, left)), last: null };
    },
  };
}

/** Entries that were added to the runs since. */
async function laterEntries(reader: DatasetReader, runs: WrittenManifest['runs']): Promise<number> {
  let later = 0;
  for (const { run, annotations } of runs) {
    let count = 0;
    for (let after: number | null = 0; after !== null; ) {
      const page: { entries: unknown[]; last: number | null } = await reader.annotationPage(run, after);
      count += page.entries.length;
      after = page.last;
    }
    later += Math.max(0, count - annotations);
  }
  return later;
}

/** Paths of all files below a folder; links are named and not followed. */
async function filesBelow(folder: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, path)));
    else found.push(path);
  }
  return found;
}

/** Takes nothing out: a file is compared with what its rows hold, and a placeholder stands for any text. */
function asTheyAre(): Redactor {
  const names = { users: [], hosts: [], homes: [] };
  return new Redactor({ level: 'off', secrets: [], names, allowed: [] }, new Map());
}
