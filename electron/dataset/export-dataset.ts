import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportResult } from '@shared/contract/ipc/dataset';
import { checkTarget, DatasetFolder } from './dataset-folder';
import type { DatasetReader } from './event-pages';
import {
  countInherited,
  countLines,
  countMasks,
  type ExportPlan,
  planExport,
  type RowPlan,
  stepRanges,
} from './export-plan';
import type { ExportRequest } from './export-request';
import { slimeFile, slimeLine } from './exporters/slime';
import { manifestFile, manifestText } from './manifest';
import { datasetRows } from './rows';
import { trainerReadme } from './trainer-readme';

/**
 * Writes the chosen runs as a dataset folder: `train.jsonl`, `README.md` for the trainer, `manifest.json`. Two
 * passes over the events: the first decides rows and masks, the second writes; neither holds more than one
 * context. The folder appears whole or not at all, and the same snapshot gives the same bytes.
 *
 * @throws WaymarkError `export_undecided` while a step is undecided and not waived, `export_no_tools` while a row would
 * have no tools and that is not waived, `export_empty`,
 * `already_exists`, `not_found`, `disk_full`, `read_only`, `cancelled`.
 */
export async function exportDataset(
  reader: DatasetReader,
  request: ExportRequest & { out: string },
): Promise<ExportResult> {
  const out = resolve(request.out);
  await checkTarget(out);
  const plan = await planExport(reader, request);
  if (request.undecided === 'refuse') refuseUndecided(plan.undecided);
  if (request.noTools !== 'allow') refuseNoTools(plan.noTools);
  const folder = await DatasetFolder.begin(out);
  const differing = new Set<RowPlan>();
  try {
    await folder.write(slimeFile, lines(reader, plan, request, differing));
    await folder.write('README.md', [trainerReadme(plan, request)]);
    await folder.write(manifestFile, [
      manifestText(plan, request, { files: [...folder.files], notAsSent: differing.size }),
    ]);
    if (request.signal?.aborted) throw cancelled();
    await folder.commit();
  } catch (error) {
    await folder.abandon();
    throw error;
  }
  return {
    folder: out,
    rows: countLines(plan),
    ...countMasks(plan.rows),
    dropped: plan.dropped,
    notAsSent: differing.size,
    inherited: countInherited(plan),
    files: folder.files,
    snapshot: plan.snapshot,
  };
}

async function* lines(
  reader: DatasetReader,
  plan: ExportPlan,
  request: ExportRequest,
  differing: Set<RowPlan>,
): AsyncGenerator<string> {
  const total = 2 * plan.runs.reduce((sum, { seq }) => sum + seq, 0);
  let done = total / 2;
  const onEvents = (count: number) => {
    done += count;
    request.onProgress?.({ done: Math.min(done, total), total });
  };
  for await (const row of datasetRows(reader, plan, { signal: request.signal, onEvents })) {
    if (row.notAsSent.length > 0) differing.add(row.plan);
    const line = `${slimeLine(row)}\n`;
    for (let copy = 0; copy < plan.preset.repeat[row.plan.kind]; copy += 1) yield line;
  }
}

function cancelled(): WaymarkError {
  return new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
}

function refuseNoTools(noTools: ExportPlan['noTools']): void {
  const [first] = noTools;
  if (!first) return;
  const others = noTools.length - 1;
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'run' : 'runs'}`;
  throw new WaymarkError(
    'export_no_tools',
    `Rows of run ${first.run}${more} would have no tools: the imported log does not hold them, and what its program offers is unknown. Leave these runs out, or waive this with --no-tools allow.`,
    noTools.map(({ run, rows }) => `${run}: ${rows} ${rows === 1 ? 'row' : 'rows'}`).join('\n'),
  );
}

function refuseUndecided(undecided: ExportPlan['undecided']): void {
  const [first] = undecided;
  if (!first) return;
  const total = undecided.reduce((sum, { steps }) => sum + steps.length, 0);
  const others = undecided.length - 1;
  const where = `run ${first.run}, ${first.steps.length === 1 ? 'step' : 'steps'} ${stepRanges(first.steps, 8)}`;
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'run' : 'runs'}`;
  throw new WaymarkError(
    'export_undecided',
    `${total} ${total === 1 ? 'step is' : 'steps are'} undecided: ${where}${more}. Label them, or waive them explicitly with --undecided train or --undecided mask.`,
    undecided.map(({ run, steps }) => `${run}: ${stepRanges(steps)}`).join('\n'),
  );
}
