import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { CommandParsed } from '@shared/contract/ipc';
import type { datasetCommands } from '@shared/contract/ipc/dataset';
import type { Author } from '@shared/log/annotations';
import type { ExportJobs } from '../dataset/jobs/export-jobs';
import { manifestFile } from '../dataset/manifest';
import { DatasetAnswers } from '../dataset/past/dataset-answers';
import { DatasetRegistry, datasetView } from '../dataset/past/dataset-registry';
import { loadTarget } from '../dataset/targets/table';
import type { Publisher } from '../ipc/publish';
import type { WorkbenchHolder } from '../workbench';
import { hiddenSteps } from './blind-steps';
import type { HandlersOf } from './dispatch';
import { planReads } from './export-plans';

type DatasetHandlers = HandlersOf<typeof datasetCommands>;

export interface DatasetHandlerOptions {
  holder: WorkbenchHolder;
  jobs: ExportJobs;
  /** Asks for the target folder; null = cancelled. */
  chooseTarget(): Promise<string | null>;
  /** See `datasetReads`. */
  author(): Author;
  /** The form of a call's arguments that the template of the chosen tokenizer wants; undefined: none was chosen. */
  templateWants(): Promise<'string' | 'object' | undefined>;
  /** Shows a file of ours in the system's file manager. */
  showFile(path: string): void;
}

/** What is answered where the workspace is: previews and past exports. */
export function datasetReads(
  holder: WorkbenchHolder,
  publisher: Pick<Publisher, 'publish'>,
  /** Who looks: what others said of steps that this person is to decide blind is not shown. */
  author: () => Author,
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
    'datasets.difference': async ({ a, b }) => {
      const difference = await about().difference(a, b);
      const hidden = new Map<string, (step: number) => boolean>();
      for (const run of new Set(difference.steps.map((each) => each.run)))
        hidden.set(run, await hiddenSteps(holder.require().store.reader, run, author()));
      const steps = difference.steps.filter(({ run, step }) => hidden.get(run)?.(step) !== true);
      return { ...difference, steps, count: difference.count - (difference.steps.length - steps.length) };
    },
    // A dataset's mask tells what others decided.
    'datasets.forStep': async ({ run, step }) =>
      (await hiddenSteps(holder.require().store.reader, run, author(), step))(step)
        ? []
        : about().forStep(run, step),
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
    const asked = await withForm(exportOptions, options.templateWants);
    return jobs.start(store.folder, { out, options: asked, register: !store.isReadOnly });
  };
  return {
    ...datasetReads(holder, options.publisher, options.author),
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

/** With `auto` and a format that leaves the form of arguments to the model's template: the form that the chosen one wants. */
async function withForm(
  asked: CommandParsed<'export.start'>,
  templateWants: DatasetHandlerOptions['templateWants'],
): Promise<CommandParsed<'export.start'>> {
  if (asked.arguments !== 'auto') return asked;
  const { argumentsForm } = await loadTarget(asked.format);
  if (argumentsForm !== 'template') return asked;
  return { ...asked, arguments: (await templateWants()) ?? 'auto' };
}
