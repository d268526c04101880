import { readerIn } from '../../store/queries/answers';
import { openReads } from '../../store/queries/reads';
import { exportDataset } from '../export-dataset';
import { ExportGate } from './export-gate';
import type { ExportProgress, ExportTask, RunningExport } from './export-runner';

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

async function exportHere(task: ExportTask, gate: ExportGate, tell: (progress: ExportProgress) => void) {
  const { reads, close } = openReads(task.workspace);
  try {
    const reader = readerIn({ read: reads }, async () => undefined);
    const { options } = task;
    const result = await exportDataset(reader, {
      format: 'slime',
      out: task.out,
      runs: options.runs.length > 0 ? options.runs : 'all',
      undecided: options.undecided,
      noTools: options.noTools,
      preset: options.preset,
      reasoning: options.reasoning,
      signal: gate.signal,
      onProgress: ({ done, total }) => tell({ done, total, records: 0, bytes: 0, skipped: 0 }),
    });
    return { result, dataset: null, notKept: null, resumed: false };
  } finally {
    close();
  }
}
