import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { WaymarkError } from '@shared/contract/errors';
import { readerIn } from '../../store/queries/answers';
import { findRun, readEvents } from '../../store/queries/read-context';
import { openReads, type Reads } from '../../store/queries/reads';
import type { DatasetReader } from '../event-pages';
import { type WrittenDataset, writeDataset } from '../export-dataset';
import { DatasetRegistry } from '../past/dataset-registry';
import { indexFile } from '../past/record-index';
import { countMasks, variantPlan } from '../plan';
import { ExportGate } from './export-gate';
import type { ExportDone, ExportProgress, ExportTask, RunningExport } from './export-runner';

/** One export in this thread: it reads the workspace over a connection of its own. */
export function runExport(task: ExportTask, tell: (progress: ExportProgress) => void): RunningExport {
  const gate = new ExportGate();
  return {
    done: exportHere(task, gate, tell),
    pause: () => gate.pause(),
    resume: () => gate.resume(),
    cancel: () => gate.cancel(),
    stop: () => gate.stop(),
  };
}

async function exportHere(
  task: ExportTask,
  gate: ExportGate,
  tell: (progress: ExportProgress) => void,
): Promise<ExportDone> {
  const { job, workspace, goOn, out, options, templateWants, sources } = task;
  const { reads, close } = openReads(workspace);
  let skipped = 0;
  try {
    const written = await writeDataset(
      passing(datasetReader(reads), gate),
      { ...options, templateWants, out, sources, signal: gate.signal },
      {
        job,
        workspace,
        goOn,
        keeps: () => gate.keeps,
        tell: (progress) => {
          skipped = progress.skipped;
          tell(progress);
        },
      },
    );
    const kept = task.register ? await remember(workspace, out, written) : null;
    return {
      result: written.result,
      dataset: kept?.dataset ?? null,
      notKept: kept?.notKept ?? (task.register ? null : 'The workspace is open for reading only.'),
      resumed: skipped > 0,
    };
  } finally {
    close();
  }
}

/**
 * Each event is parsed by schema once, in the pass that plans: a log never changes. The pass that writes takes the same rows as they
 * are.
 */
function datasetReader(reads: Reads): DatasetReader {
  const reader = readerIn({ read: reads }, async () => undefined);
  const checked = new Map<string, number>();
  return {
    runs: () => reader.runs(),
    run: (run) => reader.run(run),
    annotationPage: (...args) => reader.annotationPage(...args),
    ruleSettings: (task) => reader.ruleSettings(task),
    events: async (run, from, limit) => {
      const known = checked.get(run) ?? 0;
      if (from + limit - 1 <= known)
        return readEvents(reads, findRun(reads, run), from, from + limit - 1, limit, false);
      const events = await reader.events(run, from, limit);
      const last = events.at(-1);
      if (last !== undefined && from <= known + 1) checked.set(run, last.seq);
      return events;
    },
  };
}

/** Each page passes the gate, so that a pause or an end is heard within one. */
function passing(reader: DatasetReader, gate: ExportGate): DatasetReader {
  return {
    ...reader,
    events: async (...args) => {
      await gate.pass();
      return reader.events(...args);
    },
  };
}

/** The dataset is there whatever becomes of the note of it. */
async function remember(
  workspace: string,
  folder: string,
  { manifest, plan, files, records, bytes, redacted }: WrittenDataset,
): Promise<Pick<ExportDone, 'dataset' | 'notKept'>> {
  const id = createHash('sha256').update(manifest).digest('hex');
  const index = await promisify(gzip)(await readFile(join(folder, indexFile)));
  try {
    await new DatasetRegistry(workspace).add(
      {
        id,
        format: plan.options.format,
        writtenAt: Date.now(),
        snapshot: plan.snapshot,
        redacted,
        variants: plan.variants.map(({ variant }) => variant),
        options: plan.options,
        compression: plan.options.compression,
        records,
        bytes,
        ...countMasks(variantPlan(plan).rows),
        files: files.flatMap(({ path, bytes: size, sha256, records: count }) =>
          count === undefined ? [] : [{ path, bytes: size, sha256, records: count }],
        ),
      },
      folder,
      index,
    );
    return { dataset: id, notKept: null };
  } catch (thrown) {
    const told = thrown instanceof WaymarkError || (thrown as NodeJS.ErrnoException).code !== undefined;
    if (!told) throw thrown;
    return { dataset: null, notKept: (thrown as Error).message };
  }
}
