import { afterEach, expect, it, vi } from 'vitest';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { EngineStand } from '../../testing/engine-stand';
import { smallTaskYaml } from '../../testing/task-package';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** How far the clock is set each time, ms: days back, a year ahead and back, both changes of summer time. */
const kinds = [-3 * DAY, 365 * DAY, -HOUR, HOUR, -365 * DAY, 3 * DAY, -30_000, 60_000];
const ROUNDS = process.env.WAYMARK_FULL === '1' ? 5 : 1;
const jumps = Array.from({ length: ROUNDS }, () => kinds).flat();

/** This process's wall clock, which `set` sets by so many ms; the monotonic one goes on. */
function settableClock() {
  const real = Date.now.bind(Date);
  let offset = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + offset);
  return {
    set: (ms: number) => {
      offset += ms;
    },
  };
}

afterEach(() => vi.restoreAllMocks());

const create = { name: 'create_session', arguments: { session_id: 'main' } };
const commandOf = (jump: number) => `sleep 0.3; echo after setting ${jump}`;

it(`a run lives through ${jumps.length} settings of the clock: order by number, no negative duration, no time that did not pass`, async () => {
  const clock = settableClock();
  const began = performance.now();
  const noticed = async () => {
    const events = await stand.events(run);
    return events.filter(({ kind }) => kind === 'clock.suspended' || kind === 'clock.jumped').length;
  };
  // By turns while the model thinks and while a command runs; the driver looks at its clock every two seconds.
  const policy: ScriptedPolicy = async ({ answers }) => {
    const at = answers - 1;
    if (at < 0) return { text: 'Begin.', calls: [create] };
    await expect.poll(noticed, { timeout: 20_000 }).toBe(at);
    if (at >= jumps.length) return { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
    const set = () => clock.set(jumps[at] ?? 0);
    if (at % 2 === 0) set();
    else setting = stand.until(run, 'action.started', ({ args }) => args.command === commandOf(at)).then(set);
    const args = { session_id: 'main', command: commandOf(at), wait_for_completion: true };
    return { text: `Setting ${at}.`, calls: [{ name: 'run_command', arguments: args }] };
  };
  let setting: Promise<void> = Promise.resolve();
  const yaml = smallTaskYaml.replace(
    'max_steps: 20',
    `max_steps: ${jumps.length + 2}\n  max_working_time: 1h`,
  );
  const stand = await EngineStand.open({ policy, files: { 'task.yaml': yaml }, aliases: [] });
  const run = await stand.start();
  try {
    await stand.drive(run);
    await setting;
    expect(stand.errors).toEqual([]);
    const events = await stand.events(run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const answered = events.flatMap(({ kind, body }) => (kind === 'model.answered' ? [body] : []));
    expect(answered).toHaveLength(jumps.length + 2);
    const { reader } = stand.store;
    const heads = await reader.heads(run, 1, 1_000);
    expect(heads.map(({ step }) => step)).toEqual(answered.map((_, index) => index + 1));
    expect(negatives(events)).toEqual([]);
    expect(negatives(await reader.stats(run))).toEqual([]);
    expect(negatives(heads)).toEqual([]);
    const summary = await reader.run(run);
    expect(summary).toMatchObject({ state: 'finished', steps: jumps.length + 2 });
    expect(summary.workingMs).toBeLessThanOrEqual(performance.now() - began);
    for (const body of await stand.of(run, 'action.observed'))
      expect(body.durationMs).toBeLessThanOrEqual(performance.now() - began);
    expect(await reader.verify()).toMatchObject({ ok: true });
    expect(await stand.store.writer.rebuild(run)).toEqual({ changed: 0 });
  } finally {
    await stand.close();
  }
}, 300_000);

/** Paths of all durations below a value that are less than nothing. */
function negatives(value: unknown, path = ''): string[] {
  if (typeof value === 'number')
    return /(?:Ms|Seconds|duration)$/u.test(path) && value < 0 ? [`${path} ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => negatives(each, `${path}.${name}`));
}
