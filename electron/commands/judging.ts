import type { judgeCommands } from '@shared/contract/ipc/judging';
import { type QueuedSteps, queueMarks } from '@shared/contract/judge-views';
import { shortQuality } from '@shared/labels/judge-quality';
import type { Author } from '@shared/log/annotations';
import { unlessRemoved } from '../review/step-owners';
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
    'judge.queued': async ({ batch, queue }) => {
      const { reader } = holder.require().store;
      const query = { marks: [queueMarks[queue]] };
      const found: QueuedSteps = { count: 0, run: null };
      for (const run of await jobs().runsOf(batch)) {
        const count = (await unlessRemoved(reader.countMatches(run, query))) ?? 0;
        found.count += count;
        if (count > 0) found.run ??= run;
      }
      return found;
    },
    'judge.quality': async ({ runs, truth }) => {
      const { reader } = holder.require().store;
      const asked = runs.length > 0 ? runs : (await reader.runs()).map(({ id }) => id);
      return shortQuality(await reader.judgeQuality({ runs: asked, truth }));
    },
    'judge.stop': async ({ batch }) => {
      await jobs().stop(batch);
      return jobs().list(author());
    },
    'judge.resume': async ({ batch, maxCost }) => {
      await jobs().resume(batch, maxCost);
      return jobs().list(author());
    },
    'rubric.ofTask': ({ task, kind }) => jobs().rubricOf(task, kind),
    'rubric.keep': (request) => jobs().keepRubric(request, author()),
    'rubric.trial': ({ run, judge, text }) => jobs().trial(run, judge, text, author()),
  };
}
