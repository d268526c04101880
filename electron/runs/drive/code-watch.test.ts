import type { NewEvent } from '@shared/log/events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ActionRig, actionRig } from '../../actions/action-rig';
import type { Clock } from '../../clock';
import { eventually } from '../../testing/deadline';
import { CodeWatch } from './code-watch';

/** A clock whose sleeps end when the test says so. */
class StepClock implements Clock {
  private readonly sleepers: (() => void)[] = [];
  now = () => Date.now();
  monotonic = () => performance.now();
  sleep(_ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.sleepers.push(resolve);
    });
  }
  /** Ends one sleep, which must have begun. */
  async tick(): Promise<void> {
    const wake = await eventually('somebody sleeps', () => this.sleepers.shift());
    wake();
  }
}

describe('code files while a command runs', () => {
  let rig: ActionRig;
  let clock: StepClock;
  let watch: CodeWatch;
  const recorded: NewEvent[] = [];
  const failures: unknown[] = [];
  let scans = 0;
  beforeEach(async () => {
    rig = await actionRig();
    clock = new StepClock();
    scans = 0;
    watch = new CodeWatch({
      computers: new Map([['local', rig.computer]]),
      clock,
      scan: async () => {
        scans += 1;
        return (await rig.actions.codeChanges?.()) ?? [];
      },
      record: async (events) => void recorded.push(...events),
      failed: (error) => void failures.push(error),
    });
  });
  afterEach(async () => {
    await watch.stop();
    await rig.dispose();
    expect(failures).toEqual([]);
    recorded.length = 0;
  });

  it('are recorded as changed by the shell at the latest step, once', async () => {
    const started = await rig.call('run_command', {
      command:
        'until [ -e go ]; do read -t 0.05 < <(sleep 9) || :; done; echo lr: 2 > config.yaml; touch done; sleep 300',
    });
    expect(started.ok).toBe(true);
    await rig.computer.files.write(`${rig.root}/go`, new Uint8Array());
    await eventually('it has written', () => rig.computer.files.stat(`${rig.root}/done`));
    await clock.tick();
    const changed = await eventually('the change is recorded', () =>
      recorded.find((event) => event.kind === 'file.changed' && event.body.path.endsWith('config.yaml')),
    );
    expect(changed.body).toMatchObject({ by: 'shell', text: 'lr: 2\n', before: null });
    const before = recorded.length;
    await clock.tick();
    await clock.tick();
    expect(scans).toBeGreaterThanOrEqual(2);
    expect(recorded.length).toBe(before);
  });

  it('are not looked for while nothing runs', async () => {
    await rig.call('run_command', { command: 'true', wait_for_completion: true });
    await rig.computer.files.write(`${rig.root}/by-hand.py`, new TextEncoder().encode('x = 1\n'));
    await clock.tick();
    await clock.tick();
    expect(scans).toBe(0);
    expect(recorded).toEqual([]);
  });
});
