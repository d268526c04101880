import type { ExportOptions } from '@shared/contract/export-request';
import { version } from '../../../package.json';
import { newUlid } from '../../base/new-ulid';
import { DatasetFolder } from '../dataset-folder';
import type { DatasetReader } from '../event-pages';
import type { KnownRedaction } from '../redaction/begin-redaction';
import { type SavedWriting, Writing, type WritingInput } from '../writing';
import type { JournalHead } from './export-journal';
import type { ExportProgress } from './export-runner';
import { KeptPlans } from './kept-plans';
import { startOf } from './process-alive';

/** What an export has besides its request when it outlives its process. */
export interface ExportLife {
  /** ULID of the job. Absent: nothing is kept for another process. */
  job?: string | undefined;
  /** Folder of the workspace that is read. */
  workspace?: string | undefined;
  /** `pinned`: with the snapshot that it began with. */
  goOn?: 'same' | 'pinned' | undefined;
  /** Asked when it ends without being done: what was written stays for somebody who goes on. */
  keeps?(): boolean;
  tell?(progress: ExportProgress): void;
  /** Fewest events between two borders; for tests. */
  borderEvents?: number | undefined;
}

interface Kept {
  snapshot: string;
  writing: SavedWriting;
}

/** An export that has its folder, and what it goes on from. */
export interface BegunExport {
  folder: DatasetFolder;
  plans: KeptPlans | null;
  meter: ExportMeter;
  /** Whether anything was taken over. */
  resumed(): boolean;
  /** Begins to write, or goes on where the killed process had its last border. */
  goOn(snapshot: string, input: WritingInput): Promise<Writing>;
  /** As `saved` is now; stored once `synced`. */
  keep(snapshot: string, saved: SavedWriting, synced: Promise<void>): Promise<void>;
  /** What the process before had found of `key`; absent: it is found now, and kept. */
  known(key: string, find: () => Promise<KnownRedaction>): Promise<KnownRedaction>;
}

export async function beginExport(
  reader: DatasetReader,
  { out, options, life }: { out: string; options: ExportOptions; life: ExportLife },
): Promise<BegunExport> {
  const { job, workspace = '', goOn = 'same' } = life;
  const meter = new ExportMeter(life.tell);
  if (job === undefined) {
    const folder = await DatasetFolder.begin(out);
    const begin = (_: string, input: WritingInput) => Writing.begin(folder, input);
    return {
      folder,
      plans: null,
      meter,
      resumed: () => false,
      goOn: begin,
      keep: (_, __, synced) => synced,
      known: (_, find) => find(),
    };
  }
  const left = await leftOf(out, { workspace, options, job, goOn });
  const folder = left ?? (await DatasetFolder.begin(out));
  const { journal } = folder;
  const own = { pid: process.pid, start: startOf(process.pid) };
  const known = left === null ? null : await journal.head();
  const started = known?.startedAt ?? Date.now();
  const head = (): Omit<JournalHead, 'version'> => {
    const { done, total, records, bytes } = meter;
    return {
      app: version,
      job,
      workspace,
      out,
      options,
      startedAt: started,
      owner: own,
      done,
      total,
      records,
      bytes,
    };
  };
  if (known !== null) meter.resume(known);
  const plans = await folder.guarded(async () => {
    await journal.writeHead(head());
    return KeptPlans.open(journal, reader, left !== null && goOn === 'pinned');
  });
  let resumed = false;
  return {
    folder,
    plans,
    meter,
    resumed: () => resumed || plans.skipped > 0,
    goOn: async (snapshot, input) => {
      const kept = await journal.read<Kept>('state');
      const going = kept?.snapshot === snapshot ? await Writing.goOn(folder, input, kept.writing) : null;
      if (going === null || kept === null) return Writing.begin(folder, input);
      resumed = true;
      meter.skip(kept.writing.events, going.sinks);
      return going;
    },
    known: async (key, find) => {
      const kept = await journal.read<KnownRedaction & { key: string }>('redaction');
      if (kept?.key === key) return kept;
      const found = await find();
      await journal.write('redaction', { ...found, key });
      return found;
    },
    keep: async (snapshot, writing, synced) => {
      const kept: Kept = { snapshot, writing };
      const now = head();
      await journal.write('state', kept, synced);
      await journal.writeHead(now);
    },
  };
}

/** What a killed process left of the very same export; null: nothing, or another process was quicker. */
async function leftOf(
  out: string,
  {
    workspace,
    options,
    job,
    goOn,
  }: { workspace: string; options: ExportOptions; job: string; goOn: 'same' | 'pinned' },
): Promise<DatasetFolder | null> {
  const asked = JSON.stringify(options);
  for (const left of await DatasetFolder.left(out)) {
    const { head } = left;
    if (head.app !== version || head.workspace !== workspace || JSON.stringify(head.options) !== asked)
      continue;
    if (goOn === 'pinned' && head.job !== job) continue;
    const folder = await DatasetFolder.takeUp(out, left);
    if (folder !== null) return folder;
  }
  return null;
}

/** A new id for an export. */
export const newJob = (): string => newUlid();

/** Counts what people see of an export: events over both passes, records, bytes. */
export class ExportMeter {
  done = 0;
  total = 0;
  records = 0;
  bytes = 0;
  private skipped = 0;

  constructor(private readonly tell?: ((progress: ExportProgress) => void) | undefined) {}

  resume({ records, bytes }: Pick<JournalHead, 'records' | 'bytes'>): void {
    this.records = records;
    this.bytes = bytes;
  }

  planned(done: number, total: number, skipped: number): void {
    this.done = done;
    this.total = total;
    this.skipped = skipped;
    this.say();
  }

  /** Planning is done; filters may have left fewer events to write. */
  begin(events: number): void {
    this.total = this.done + events;
    this.say();
  }

  skip(events: number, sinks: { records: number; bytes: number }): void {
    this.skipped += events;
    this.wrote(events, sinks);
  }

  wrote(events: number, sinks: { records: number; bytes: number } | null): void {
    this.done = Math.min(this.total, this.done + events);
    if (sinks !== null) {
      this.records = sinks.records;
      this.bytes = sinks.bytes;
    }
    this.say();
  }

  private say(): void {
    const { done, total, records, bytes } = this;
    this.tell?.({ done, total, records, bytes, skipped: this.skipped });
  }
}
