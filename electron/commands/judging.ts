import type { judgeCommands } from '@shared/contract/ipc/judging';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

/** Asking a judge, in the background of the process that has the workspace open, and what it goes by. */
export function judgeHandlers(
  holder: WorkbenchHolder,
  author: () => Author,
): HandlersOf<typeof judgeCommands> {
  const jobs = () => holder.require().judging;
  return {
    'judge.estimate': (request) => jobs().estimate(request, author()),
    'judge.start': async (request) => ({ batches: await jobs().start(request, author()) }),
    'judge.batches': () => jobs().list(author()),
    'judge.stop': async ({ batch }) => {
      await jobs().stop(batch);
      return jobs().list(author());
    },
    'judge.resume': async ({ batch, maxCost }) => {
      await jobs().resume(batch, maxCost);
      return jobs().list(author());
    },
    'rubric.ofTask': ({ task }) => jobs().rubricOf(task),
    'rubric.keep': (request) => jobs().keepRubric(request, author()),
    'rubric.trial': ({ run, judge, text }) => jobs().trial(run, judge, text, author()),
  };
}
