import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { CommandParsed } from '@shared/contract/ipc';
import type { datasetCommands } from '@shared/contract/ipc/dataset';
import type { ExportJobs } from '../dataset/jobs/export-jobs';
import { manifestFile } from '../dataset/manifest';
import { DatasetAnswers } from '../dataset/past/dataset-answers';
import { DatasetRegistry, datasetView } from '../dataset/past/dataset-registry';
import type { Publisher } from '../ipc/publish';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';
import { planReads } from './export-plans';

type DatasetHandlers = HandlersOf<typeof datasetCommands>;

export interface DatasetHandlerOptions {
  holder: WorkbenchHolder;
  jobs: ExportJobs;
  /** Asks for the target folder; null = cancelled. */
  chooseTarget(): Promise<string | null>;
  /** Shows a file of ours in the system's file manager. */
  showFile(path: string): void;
}

/** What is answered where the workspace is: previews and past exports. */
export function datasetReads(
  holder: WorkbenchHolder,
  publisher: Pick<Publisher, 'publish'>,
): Pick<
  DatasetHandlers,
  | 'export.preview'
  | 'export.rows'
  | 'datasets.list'
  | 'datasets.difference'
  | 'datasets.forStep'
  | 'datasets.row'
  | 'datasets.forget'
> {
  const folder = () => holder.require().store.folder;
  const list = async () => {
    const stored = await new DatasetRegistry(folder()).list();
    return Promise.all(stored.map(datasetView));
  };
  // An answer remembers the index that was asked for last: one for each workspace.
  let answers: { folder: string; from: DatasetAnswers } | null = null;
  const about = () => {
    if (answers?.folder !== folder()) answers = { folder: folder(), from: new DatasetAnswers(folder()) };
    return answers.from;
  };
  return {
    ...planReads(holder),
    'datasets.list': list,
    'datasets.difference': ({ a, b }) => about().difference(a, b),
    'datasets.forStep': ({ run, step }) => about().forStep(run, step),
    'datasets.row': ({ dataset, file, record }) => about().row(dataset, file, record),
    'datasets.forget': async ({ dataset }) => {
      const registry = new DatasetRegistry(folder());
      await registry.get(dataset);
      registry.forget(dataset);
      publisher.publish('datasets.changed', {});
      return list();
    },
  };
}

/** All of a window. Preview and export use the same rows, so the counts agree. */
export function datasetHandlers(
  options: DatasetHandlerOptions & { publisher: Pick<Publisher, 'publish'> },
): DatasetHandlers {
  const { holder, jobs, chooseTarget } = options;
  const folder = () => holder.current?.store.folder ?? null;
  const begin = async (exportOptions: CommandParsed<'export.start'>) => {
    const { store } = holder.require();
    const out = await chooseTarget();
    if (out === null) return null;
    return jobs.start(store.folder, { out, options: exportOptions, register: !store.isReadOnly });
  };
  return {
    ...datasetReads(holder, options.publisher),
    'export.start': begin,
    'export.jobs': () => jobs.list(folder()),
    'export.pause': async ({ job }) => jobs.pause(job),
    'export.resume': ({ job }) => jobs.resume(job, folder()),
    'export.cancel': async ({ job }) => {
      await jobs.cancel(job, folder());
      return jobs.list(folder());
    },
    'datasets.openFolder': async (which) => {
      const written =
        'dataset' in which
          ? (await new DatasetRegistry(holder.require().store.folder).get(which.dataset)).folders.at(-1)
          : (await jobs.list(folder())).find(({ id }) => id === which.job)?.folder;
      if (written === undefined) {
        throw new WaymarkError('not_found', 'This export is no longer in the list of jobs.');
      }
      // The manifest is selected in its folder: what may have taken the folder's place is shown and never opened.
      options.showFile(join(written, manifestFile));
    },
    'datasets.again': async ({ dataset }) => {
      const { options: earlier } = await new DatasetRegistry(holder.require().store.folder).get(dataset);
      return begin(earlier);
    },
  };
}
