import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { DatasetView } from '@shared/contract/export-views';
import { DatasetRegistry, datasetView } from '../../dataset/past/dataset-registry';
import { verifyDataset } from '../../dataset/past/verify-dataset';
import type { CliContext } from '../context';
import { type CommandResult, counted } from '../output';

/** `export list`: past exports of the workspace, newest first. */
export async function listDatasetsCommand({ folder }: CliContext): Promise<CommandResult> {
  const stored = await new DatasetRegistry(folder).list();
  const datasets = await Promise.all(stored.map(datasetView));
  return {
    json: datasets,
    lines:
      datasets.length === 0
        ? ['Nothing has been exported from this workspace yet.']
        : datasets.map(
            ({ id, format, folder: place, records, trained, masked, state, writtenAt, composition }) =>
              `${id.slice(0, 12)}  ${new Date(writtenAt).toISOString().slice(0, 16).replace('T', ' ')}  ${format}  ${counted(records, 'record')}, ${counted(trained, 'step')} trained, ${masked} masked${madeOf(composition)}  ${place}${states[state]}`,
          ),
  };
}

function madeOf(composition: DatasetView['composition']): string {
  if (composition === undefined) return '';
  const tasks = new Set(composition.map(({ task }) => task)).size;
  const domains = new Set(composition.map(({ domain }) => domain)).size;
  return `, of ${counted(tasks, 'task')} in ${counted(domains, 'domain')}`;
}

const states = { there: '', missing: '  (missing)', changed: '  (changed)' } as const;

/** `export verify DIR`: exit code 1 when a problem was found. */
export async function verifyDatasetCommand(
  { reader }: Pick<CliContext, 'reader'>,
  words: readonly string[],
): Promise<CommandResult> {
  const [folder, ...more] = words;
  if (folder === undefined || more.length > 0)
    throw new WaymarkError('bad_input', 'Name one folder: export verify DIR.');
  const check = await verifyDataset(resolve(folder), reader);
  const { ok, problems, notes, files, records } = check;
  return {
    json: check,
    lines: [
      ...problems.map(({ file, line, what }) => `${file}${line === null ? '' : `:${line}`}: ${what}`),
      ...notes,
      ok
        ? `All is well: ${counted(files, 'file')} and ${counted(records, 'record')} verified.`
        : `${counted(problems.length, 'problem')} found.`,
    ],
    ...(ok ? {} : { exitCode: 1 as const }),
  };
}
