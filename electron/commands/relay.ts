import { assertNever, type Failure } from '@shared/contract/errors';
import type { Publisher } from '../ipc/publish';
import type { TerminalPump } from '../ipc/terminal-pump';
import type { StoreNotice } from '../store/notices';
import type { Workbench } from '../workbench';

export interface RelayOptions {
  publisher: Publisher;
  pump: TerminalPump;
  /** Hears of every problem of the store and of its end (null). */
  problem(failure: Failure | null): void;
  /** Hears once of each run of which something cannot be read. */
  unreadable(failure: Failure): void;
  /** A run changed what it does: power, notifications and menu may follow. */
  runChanged(run: string): void;
}

/** Passes what store and engine say on to the window. Returns the function that stops it. */
export function relay(bench: Workbench, options: RelayOptions): () => void {
  const { publisher, pump } = options;
  pump.attach(bench.store.reader);
  const stops = [
    bench.store.subscribe((notice) => {
      pump.notice(notice);
      passOn(notice, options);
    }),
    bench.engine.live.subscribe((frame) => {
      switch (frame.kind) {
        case 'delta': {
          const { run, step, text, reasoning, call } = frame;
          publisher.publish('live.delta', {
            run,
            step,
            ...(text === undefined ? {} : { text }),
            ...(reasoning === undefined ? {} : { reasoning }),
            ...(call === undefined ? {} : { call }),
          });
          return;
        }
        case 'state':
          publisher.publish('run.listChanged', {});
          options.runChanged(frame.run);
          return;
      }
    }),
    bench.judging.subscribe(() => publisher.publish('judge.changed', {})),
  ];
  return () => {
    for (const stop of stops) stop();
    pump.attach(null);
  };
}

function passOn(notice: StoreNotice, options: RelayOptions): void {
  const { publisher } = options;
  switch (notice.kind) {
    case 'run':
      publisher.publish('run.changed', { run: notice.run, seq: notice.seq, steps: notice.steps });
      if (notice.events === null) {
        // Nobody could look at them: whatever they may have changed is asked for anew.
        publisher.publish('hints.changed', { run: notice.run });
        publisher.publish('session.changed', { run: notice.run });
        publisher.publish('run.listChanged', {});
        options.runChanged(notice.run);
        return;
      }
      for (const event of notice.events) {
        if (event.kind === 'hint.delivered' || event.kind === 'hint.undelivered') {
          publisher.publish('hints.changed', { run: notice.run });
        } else if (event.kind === 'session.opened' || event.kind === 'session.ended') {
          publisher.publish('session.changed', { run: notice.run });
        } else if (event.kind === 'approval.asked') {
          const { call: _, ...question } = event.body;
          publisher.publish('approval.asked', { run: notice.run, ...question });
        } else if (event.kind === 'run.status' || event.kind === 'run.created') {
          publisher.publish('run.listChanged', {});
          options.runChanged(notice.run);
        }
      }
      return;
    case 'outbox':
      publisher.publish('hints.changed', { run: notice.run });
      // An answer to a question is there.
      publisher.publish('attention.changed', {});
      return;
    case 'labels':
      publisher.publish('labels.changed', { run: notice.run, from: notice.from, to: notice.to });
      return;
    case 'session':
      return;
    case 'index':
      publisher.publish('search.progress', { steps: notice.steps, behind: notice.behind });
      return;
    case 'foreign':
      publisher.publish('run.listChanged', {});
      return;
    case 'rebuild':
      return;
    case 'unreadable':
      options.unreadable({ code: notice.code, message: notice.message });
      return;
    case 'problem':
      options.problem({ code: notice.code, message: notice.message });
      return;
    case 'problem_solved':
      options.problem(null);
      return;
    default:
      assertNever(notice, 'notice of the store');
  }
}
