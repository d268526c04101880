import { WaymarkError } from '@shared/contract/errors';
import type { hintCommands } from '@shared/contract/ipc/hints';
import type { attentionCommands, runChangeCommands, runCommands } from '@shared/contract/ipc/runs';
import { namedEndpoint, type Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import type { SharedFolder } from '../computer/local/sandbox/sandbox-view';
import { removeRun } from '../runs/remove-run';
import { recordOf } from '../runs/run-record';
import { answerApproval } from '../runs/steer/answer-approval';
import { creationOf } from '../runs/steer/change-run';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type RunHandlers = HandlersOf<typeof runCommands>;

export interface RunHandlerOptions {
  holder: WorkbenchHolder;
  author(): Author;
  settings(): Settings;
  /** Adds the demo task if needed, starts its scripted model and returns the new run. */
  startDemo(): Promise<string>;
  /** A folder that a person chose in this window. @throws WaymarkError bad_input */
  shownFolder(id: string): SharedFolder;
}

/** Starting, steering and removing runs. */
export function runHandlers(options: RunHandlerOptions): RunHandlers {
  const { holder, author } = options;
  const engine = () => holder.require().engine;
  const reader = () => holder.require().store.reader;
  return {
    'runs.list': async () => {
      // A window that begins asks while its workspace is being opened.
      await holder.settled();
      return reader().runs();
    },
    'runs.summary': ({ run }) => reader().run(run),
    'runs.record': async ({ run }) => recordOf(await creationOf(holder.require().store, run)),
    'runs.start': async (input) => {
      const run = await engine().startRun({
        task: input.task,
        title: input.title ?? null,
        endpoint: namedEndpoint(options.settings(), input.endpoint),
        computers: input.computers,
        approvals: input.approvals,
        computerApprovals: input.computerApprovals,
        humanHints: input.humanHints,
        taskHint: input.taskHint,
        experiment: input.experiment,
        arm: input.arm,
        group: input.group,
        sample: input.sample,
        seed: input.seed,
        maxEvals: input.maxEvals,
        maxTrainingMs: input.maxTrainingMs,
        maxSteps: input.maxSteps ?? null,
        maxWorkingMs: input.maxWorkingMs ?? null,
        maxTokens: input.maxTokens ?? null,
        maxCost: input.maxCost ?? null,
        isolation: input.isolation,
        show: input.show.map((id) => options.shownFolder(id)),
        agreed: input.unisolated ? 'person' : undefined,
        author: author(),
      });
      await engine().resumeRun(run);
      return { run };
    },
    'runs.resume': ({ run, unisolated }) => engine().resumeRun(run, unisolated),
    'runs.pause': ({ run, mode }) => engine().pause(run, author(), mode),
    'runs.stop': ({ run }) => engine().stop(run, author()),
    'runs.wake': ({ run }) => engine().wake(run, author()),
    'runs.openApprovals': ({ run }) => reader().openApprovals(run),
    'runs.decideApproval': ({ run, ...answer }) =>
      answerApproval(holder.require().store, run, author(), answer),
    'runs.allowedKinds': ({ run }) => reader().allowedKinds(run),
    'runs.withdrawKind': async ({ run, kind }) => {
      await holder.require().store.writer.post(run, author(), { op: 'approval.withdrawn', kind });
    },
    'runs.remove': ({ run, mode }) => removeRun(holder.require(), run, mode, author()),
    'runs.verify': ({ run }) => reader().verify([run]),
    'demo.start': async () => ({ run: await options.startDemo() }),
  };
}

type Group = HandlersOf<typeof runChangeCommands>;

interface RunChangeOptions {
  holder: WorkbenchHolder;
  author(): Author;
  settings(): Settings;
}

/** What changes about a run while it goes on, and what goes on when it rests. */
export function runChangeHandlers({ holder, author, settings }: RunChangeOptions): Group {
  const engine = () => holder.require().engine;
  return {
    'runs.setModel': async ({ run, endpoint }) =>
      engine().setModel(run, author(), namedEndpoint(settings(), endpoint)),
    'runs.setLimits': ({ run, limits }) => engine().setLimits(run, author(), limits),
    'runs.running': ({ run }) => engine().running(run),
  };
}

type AttentionHandlers = HandlersOf<typeof attentionCommands>;

/** What wants a person's eye. */
export function attentionHandlers(holder: WorkbenchHolder, author: () => Author): AttentionHandlers {
  const store = () => holder.require().store;
  return {
    'attention.list': () => store().reader.attentionList(author().uuid),
    'attention.seen': ({ run, seq }) => store().writer.see(run, author().uuid, seq),
    'attention.looked': ({ run, ...look }) => store().writer.look(run, author().uuid, look),
    'attention.report': async ({ from, to }) => {
      if (to < from) throw new WaymarkError('bad_input', 'The report would end before it begins.');
      return { from, to, runs: await store().reader.attentionReport(from, to) };
    },
  };
}

type HintHandlers = HandlersOf<typeof hintCommands>;

/** The outbox of hints, what became of them, and drafts tried out. Writes resolve after COMMIT. */
export function hintHandlers(holder: WorkbenchHolder, author: () => Author): HintHandlers {
  const desk = () => holder.require().engine.hints;
  const rehearsals = () => holder.require().engine.rehearsals;
  return {
    'hints.list': ({ run }) => holder.require().store.reader.hints(run),
    'hints.queue': ({ run, ...hint }) => desk().queue(run, author(), hint),
    'hints.edit': ({ run, hint, ...edit }) => desk().edit(run, author(), hint, edit),
    'hints.move': ({ run, hint, before }) => desk().move(run, author(), hint, before),
    'hints.withdraw': ({ run, hint }) => desk().withdraw(run, author(), hint),
    'hints.verdict': ({ run, hint, verdict }) => desk().verdict(run, author(), hint, verdict),
    'hints.rehearsalCost': ({ run, text }) => rehearsals().cost(run, text),
    'hints.rehearse': ({ run, text }) => rehearsals().rehearse(run, text),
    'hints.cancelRehearsal': async ({ run }) => rehearsals().cancel(run),
  };
}
