import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewEvent } from '@shared/log/events';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ComputerUnavailable } from '../computer/failures';
import { ActionFactsFold } from './action-facts';
import { type ActionRig, actionRig, realClock } from './action-rig';

let rig: ActionRig;
const log: { event: NewEvent; at: number }[] = [];
beforeAll(async () => {
  rig = await actionRig();
});
afterAll(() => rig.dispose());

const at = (name: string) => join(rig.root, name);

/** Runs an action and writes down what the recorder would. */
async function recorded(name: string, args: Record<string, unknown> = {}) {
  const parsed = rig.actions.parse(name, JSON.stringify(args));
  if (!parsed.ok) throw new Error(parsed.problem);
  const where = { step: 1, call: 0, callId: 'x', name };
  log.push({
    event: { kind: 'action.started', body: { ...where, args: parsed.call.args, guards: [] } },
    at: Date.now(),
  });
  const outcome = await rig.actions.run(parsed.call, rig.context());
  for (const event of outcome.events) log.push({ event, at: Date.now() });
  const { ok, error, text, data, closedBy } = outcome;
  const body = { ...where, ok, error, text, data, closedBy, durationMs: 1, imitatesHuman: false };
  log.push({
    event: { kind: 'action.observed', body: { ...body, offsets: rig.actions.offsets() } },
    at: Date.now(),
  });
  return outcome;
}

/** What another process finds: the log, and an action that was started and never observed. */
async function orphan(name: string, args: Record<string, string | number | boolean>, startedAt = Date.now()) {
  const fold = new ActionFactsFold(rig.task);
  for (const { event, at } of log) fold.apply(event, at);
  const body = { step: 9, call: 0, callId: 'y', name, args, guards: [] };
  fold.apply({ kind: 'action.started', body }, startedAt);
  return rig.again(fold).look({ name, args }, rig.context({ step: 9 }));
}

describe('an action that a crash left open', () => {
  test('a command that ended meanwhile gets its output and exit code; one that never ran says so', async () => {
    await recorded('run_command', { command: 'echo first', session_id: 's', wait_for_completion: true });
    const never = await orphan('run_command', { command: 'echo lost', session_id: 's' });
    expect(never).toMatchObject({ ok: false, closedBy: 'look', error: { code: 'cancelled' } });
    expect(never.text).toContain('it did not run. Session s is idle.');
    const { commandSeq } = await rig.computer.sessions.run('s', 'echo lost; (exit 4)');
    await rig.computer.sessions.waitCommand('s', commandSeq, {});
    const ended = await orphan('run_command', { command: 'echo lost; (exit 4)', session_id: 's' });
    expect(ended).toMatchObject({ ok: true, closedBy: 'look', data: { exitCode: 4, commandSeq } });
    expect(ended.text).toContain('It ended with exit code 4. Session s is idle.\nlost\n');
    expect(ended.text).not.toContain('first');
    expect((await orphan('run_command', { command: 'x', session_id: 'none' })).text).toContain(
      'does not exist',
    );
  });

  test('a command that still runs is shown as it is', async () => {
    await recorded('create_session', { session_id: 'r' });
    await rig.computer.sessions.run('r', 'echo working; sleep 65');
    await vi.waitFor(
      async () =>
        expect((await rig.computer.sessions.state('r')).foreground.map((p) => p.command)).toEqual([
          'sleep 65',
        ]),
      60_000,
    );
    const running = await orphan('run_command', { command: 'echo working; sleep 65', session_id: 'r' });
    expect(running.text).toContain('Session r is busy (');
    expect(running.text).toContain('\nworking\n');
    expect(running.data).not.toHaveProperty('exitCode');
  });

  test('a session that was opened unseen is told to the log', async () => {
    await rig.computer.sessions.create({ name: 'u', cwd: rig.root, env: {}, rows: 24, cols: 80 });
    const seen = await orphan('create_session', { session_id: 'u' });
    expect(seen.text).toContain('already exists');
    expect(seen.events).toMatchObject([{ kind: 'session.opened', body: { session: 'u' } }]);
  });

  test('a file that was written is done; one that was not is left alone; anything else is interrupted', async () => {
    await recorded('create_file', { filename: at('a.txt'), content: 'one\ntwo\n' });
    const create = { filename: at('a.txt'), content: 'new\n' };
    const edit = { path: at('a.txt'), start: 2, end: 2, content: 'TWO' };
    for (const [name, args] of [
      ['create_file', create],
      ['edit_file', edit],
    ] as const) {
      const undone = await orphan(name, args);
      expect(undone).toMatchObject({ ok: false, closedBy: 'look', events: [], error: { code: 'cancelled' } });
      expect(undone.text).toContain('is unchanged');
    }
    await writeFile(at('a.txt'), 'one\nTWO\n');
    const done = await orphan('edit_file', edit);
    expect(done).toMatchObject({ ok: true, closedBy: 'look' });
    expect(done.events).toMatchObject([{ kind: 'file.changed', body: { by: 'action', text: 'one\nTWO\n' } }]);
    await writeFile(at('a.txt'), 'something else\n');
    expect(await orphan('create_file', create)).toMatchObject({ ok: false, closedBy: 'interrupted' });
    expect(await orphan('edit_file', edit)).toMatchObject({ ok: false, closedBy: 'interrupted' });
    await writeFile(at('a.txt'), 'new\n');
    expect(await orphan('create_file', create)).toMatchObject({ ok: true, closedBy: 'look' });
    expect((await orphan('create_file', { filename: at('b.txt'), content: 'x' })).text).toContain(
      'does not exist',
    );
    expect(await readFile(at('a.txt'), 'utf8')).toBe('new\n');
  });

  test('a sleep says how long it really was', async () => {
    const slept = await orphan('sleep', { sleep_time: 100 }, Date.now() - 3_600_000);
    expect(slept.text).toMatch(/during this sleep of 100 s; 60 min have passed since it began/);
    expect(Number(slept.data.sleepMs)).toBeGreaterThanOrEqual(3_600_000);
  });

  test('an evaluation is made again, as the same try', async () => {
    const fold = new ActionFactsFold(rig.task);
    const attempts: number[] = [];
    const actions = rig.again(fold, {
      evaluate: async ({ attempt }) => {
        attempts.push(attempt);
        return {
          outcome: 'scored',
          attempt,
          score: 5,
          raw: 5,
          metrics: {},
          message: '',
          penalty: 0,
          protectedChanged: [],
          durationMs: 1,
        } as const;
      },
    });
    const looked = await actions.look({ name: 'eval', args: {} }, rig.context());
    expect(looked).toMatchObject({ ok: true, closedBy: 'look' });
    await actions.run({ name: 'eval', args: {} }, rig.context());
    expect(attempts).toEqual([1, 2]);
  });

  test('typing is not repeated', async () => {
    await recorded('run_command', { command: 'read a; read b; echo "$a-$b"', session_id: 's' });
    const before = (await rig.computer.sessions.find('s'))?.inputSeq;
    const typed = await orphan('input_in_session', { session_id: 's', input_text: 'x' });
    expect(typed).toMatchObject({ ok: false, closedBy: 'interrupted' });
    expect(typed.text).toContain('unknown whether the input was typed');
    expect((await rig.computer.sessions.find('s'))?.inputSeq).toBe(before);
  });
});

describe('going on after a restart', () => {
  test('current file, seen lines, cleared output and tries come from the log', async () => {
    await writeFile(at('c.py'), Array.from({ length: 300 }, (_, i) => `${i}\n`).join(''));
    await recorded('open_file', { path: at('c.py'), line_number: 150 });
    await recorded('create_session', { session_id: 'k' });
    await recorded('run_command', { command: 'echo old-words', session_id: 'k', wait_for_completion: true });
    await recorded('clear_session_buffer', { session_id: 'k' });
    const fold = new ActionFactsFold(rig.task);
    for (const { event, at } of log) fold.apply(event, at);
    const actions = rig.again(fold);
    const down = await actions.run({ name: 'file_scroll_down', args: {} }, rig.context());
    expect(down.data).toMatchObject({ path: at('c.py'), startLine: 200, endLine: 299 });
    const shown = await actions.run({ name: 'get_session_output', args: { session_id: 'k' } }, rig.context());
    expect(shown.text).not.toContain('old-words');
    expect(shown.events.filter((event) => event.kind !== 'file.changed')).toEqual([]);
    expect(
      actions.guards({ name: 'edit_file', args: { path: at('c.py'), start: 210, end: 211, content: '' } }, 9),
    ).toEqual(expect.not.arrayContaining([expect.objectContaining({ rule: 'edit_unseen' })]));
  });

  test('a file that changed while nobody looked is recorded when work goes on', async () => {
    await recorded('create_file', { filename: at('watched.py'), content: 'a\n' });
    await writeFile(at('watched.py'), 'b\n');
    const fold = new ActionFactsFold(rig.task);
    for (const { event, at } of log) fold.apply(event, at);
    const { events } = await rig
      .again(fold)
      .run({ name: 'list_sessions', args: {} }, rig.context())
      .then(() => rig.again(fold).run({ name: 'run_command', args: { command: 'true' } }, rig.context()));
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ body: expect.objectContaining({ path: at('watched.py'), text: 'b\n' }) }),
      ]),
    );
  });

  test('a computer that is away is not an observation', async () => {
    const away = new ComputerUnavailable('local', 'The link to local is broken.');
    const broken = new Proxy(rig.computer, {
      get: (target, key) =>
        key === 'sessions'
          ? new Proxy({}, { get: () => () => Promise.reject(away) })
          : Reflect.get(target, key),
    });
    const actions = rig.again(new ActionFactsFold(rig.task), {
      computers: new Map([['local', broken]]),
      clock: realClock,
    });
    await expect(actions.run({ name: 'run_command', args: { command: 'ls' } }, rig.context())).rejects.toBe(
      away,
    );
  });
});
