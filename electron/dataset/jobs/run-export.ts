import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { WaymarkError } from '@shared/contract/errors';
import { openReads } from '../../store/queries/reads';
import { compositionOf } from '../composition';
import { type WrittenDataset, writeDataset } from '../export-dataset';
import { DatasetRegistry } from '../past/dataset-registry';
import { indexFile } from '../past/record-index';
import { countMasks, variantPlan } from '../plan';
import { ExportGate } from './export-gate';
import type { ExportDone, ExportProgress, ExportTask, RunningExport } from './export-runner';
import { passing, threadReader } from './thread-reader';

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
      passing(threadReader(reads), gate),
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
        composition: compositionOf(variantPlan(plan).rows),
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
