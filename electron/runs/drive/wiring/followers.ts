import { backOffMs } from '../../../base/back-off';
import { SecretScanner } from '../../../secrets/scanner';
import { SessionRecorder } from '../../sessions/session-recorder';
import { CommandTime } from '../command-time';
import { SecretWatch } from '../secret-watch';
import type { Driving, Parts, Release } from './driving';

/** Reads what people ask for as it comes in, also while the computers are still being prepared. */
export function followOutbox({ context, follower }: Parts, releases: Release[]): void {
  const { options, run } = context;
  const reading = new AbortController();
  const refresh = () => void refreshed({ context, follower }, reading.signal);
  releases.push(
    () => reading.abort(new Error('The run is no longer driven here.')),
    options.store.subscribe((notice) => {
      if (notice.kind === 'outbox' && notice.run === run) refresh();
    }),
  );
  refresh();
}

/** A pause or a stop that could not be read is read as soon as it can be: nobody says it twice. */
async function refreshed(
  { context, follower }: Pick<Parts, 'context' | 'follower'>,
  signal: AbortSignal,
): Promise<void> {
  const { log, clock } = context.options;
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await follower.refresh();
      return;
    } catch (error) {
      if (failures === 0)
        log.error('The outbox could not be read', { run: context.run, error: String(error) });
      const pause = backOffMs(failures + 1, { firstMs: 100, longestMs: 5_000 }, 0);
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

/** What is stored beside the steps: bytes of sessions, times of commands, and which step saw a secret. */
export async function followRun(driving: Driving, releases: Release[]): Promise<CommandTime> {
  const { context, loaded, recorder, computers, back, failed } = driving;
  const { options, run } = context;
  const { store } = options;
  const record = recorder.record.bind(recorder);
  const sessions = new SessionRecorder({
    store,
    run,
    epoch: context.lock.epoch,
    computers,
    back,
    record,
    failed: (session, error) => failed('Output of a session could not be followed', { session })(error),
  });
  releases.push(
    () => sessions.stop(),
    () => sessions.drain(),
  );
  for (const { uid, computer, session, endOffset } of await store.reader.sessions(run)) {
    if (loaded.state.run.sessions.has(uid)) sessions.follow(computer, session, uid, endOffset);
  }
  const commandTime = new CommandTime({
    computers,
    back,
    record,
    failed: failed('Command times could not be read'),
  });
  releases.push(() => commandTime.stop());
  recorder.onRecorded((events, at) => {
    for (const event of events) {
      sessions.applyEvent(event);
      commandTime.applyEvent(event, at);
    }
  });
  const secrets = new SecretWatch({
    scanner: options.scanner ?? new SecretScanner(),
    record,
    failed: failed('A secret that was seen could not be recorded'),
  });
  recorder.onRecorded((events) => secrets.look(events));
  return commandTime;
}
