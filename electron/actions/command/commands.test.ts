import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ActionRig, actionRig } from '../action-rig';

let rig: ActionRig;
beforeAll(async () => {
  rig = await actionRig({ view: { waitLimitMs: 1500 } });
});
afterAll(() => rig.dispose());

const now = (session: string, command: string) =>
  rig.call('run_command', { command, session_id: session, wait_for_completion: true });
const start = (session: string, command: string) =>
  rig.call('run_command', { command, session_id: session, wait_for_completion: false });
const state = async (session: string) => (await rig.computer.sessions.state(session)).state;
const reaches = (session: string, wanted: string) =>
  vi.waitFor(async () => expect(await state(session)).toBe(wanted), { timeout: 60_000 });

describe('run_command', () => {
  test('opens its session and gives exit code and output without the echo', async () => {
    const first = await now('a', 'echo hello; pwd');
    expect(first).toMatchObject({
      ok: true,
      data: { exitCode: 0, session: 'a', computer: 'local', async: false },
    });
    expect(first.text).toMatch(/^Exit code 0 after [\d.]+ s in session a on local\.\n/);
    expect(first.text.split('\n').slice(1)).toEqual(['hello', rig.root, '']);
    expect(first.events.map((event) => event.kind)).toEqual(['session.opened']);
    const { startOffset, endOffset } = first.data as { startOffset: number; endOffset: number };
    expect(endOffset - startOffset).toBeGreaterThan(rig.root.length);
    expect(rig.actions.offsets()['local:a']).toBeGreaterThanOrEqual(endOffset);
  });

  test('a command that ends with an error is an observation, not a failure', async () => {
    const outcome = await now('a', 'false');
    expect(outcome).toMatchObject({ ok: true, error: null, data: { exitCode: 1 } });
    expect(outcome.text).toContain('(no output)');
    expect(outcome.events).toEqual([]);
  });

  test('directory and variables stay in the session; several lines are one command', async () => {
    await now('a', 'cd /tmp\nX=5');
    expect((await now('a', 'echo "$X in $PWD"')).text).toContain('5 in /tmp');
  });

  test('a command over the limit is killed and its real output is kept', async () => {
    const outcome = await now('b', 'echo before; sleep 60; echo after');
    expect(outcome).toMatchObject({ ok: false, error: { code: 'timed_out' }, data: { killed: true } });
    expect(outcome.text).toMatch(/^Killed after 1\.5 s/);
    expect(outcome.text).toContain('\nbefore\n');
    expect(outcome.text).not.toContain('after\n');
    await reaches('b', 'idle');
  });

  test('a program that ignores the interrupt is killed too', async () => {
    const outcome = await now('b', `bash -c 'trap "" INT TERM; echo armed; while :; do sleep 1; done'`);
    expect(outcome.text).toContain('armed');
    await reaches('b', 'idle');
    expect((await now('b', 'echo alive')).text).toContain('alive');
  });

  test('a busy session refuses with the four ways on, in words a waiting program does not get', async () => {
    await start('c', 'sleep 61');
    await reaches('c', 'busy');
    const busy = await now('c', 'echo x');
    expect(busy).toMatchObject({ ok: false, error: { code: 'session_busy' }, data: { state: 'busy' } });
    for (const way of ['1. wait', '2. stop', '3. run', '4. answer']) expect(busy.text).toContain(way);
    const killed = await rig.call('kill_session_processes', { session_id: 'c', force: true });
    expect(killed.text).toMatch(/^Ended 1 process\. Session c is idle\.\n\d+: sleep 61/);
    await start('c', 'read answer; echo "got $answer"');
    await reaches('c', 'waiting');
    const waiting = await now('c', 'echo x');
    expect(waiting.text).toContain('waiting for input');
    const typed = await rig.call('input_in_session', { session_id: 'c', input_text: 'blue' });
    expect(typed).toMatchObject({ ok: true, data: { state: 'idle' } });
    expect(typed.text).toContain('got blue');
  });

  test('a pending read takes no command as its input', async () => {
    await start('c', 'read line; echo "line: $line"');
    await reaches('c', 'waiting');
    expect((await rig.call('check_session_idle', { session_id: 'c' })).data).toMatchObject({
      idle: false,
      state: 'waiting',
    });
    expect((await now('c', 'echo intruder')).ok).toBe(false);
    await rig.call('input_in_session', { session_id: 'c', input_text: '' });
    const shown = await rig.call('get_session_output', { session_id: 'c', start_lines: 3 });
    expect(shown.text).not.toContain('intruder');
    expect(shown.text).toContain('line: ');
  });

  test('a shell that ended gets a fresh one under the same name, and says so', async () => {
    const last = await now('d', 'exit 3');
    expect(last.ok).toBe(true);
    expect(last.events.map((event) => event.kind)).toEqual(['session.opened', 'session.ended']);
    const next = await now('d', 'echo new');
    expect(next.text).toContain('had ended with exit code 3; this is a new one');
    expect(next.data.session).toBe('d');
    expect(next.events.map((event) => event.kind)).toEqual(['session.opened']);
  });

  test('progress bars and colours are read as they end, raw bytes stay', async () => {
    const outcome = await now(
      'a',
      `for i in 1 2 3; do printf '\\r%s0%%' $i; done; printf '\\n\\033[31mred\\033[0m\\n'`,
    );
    expect(outcome.text.split('\n').slice(1)).toEqual(['30%', 'red', '']);
    const { startOffset, endOffset } = outcome.data as { startOffset: number; endOffset: number };
    const raw = await rig.computer.sessions.read('a', startOffset, endOffset - startOffset);
    expect(Buffer.from(raw.bytes).toString()).toContain('\r20%');
  });

  test('long output keeps its first fifth and its end with exact counts; characters stay whole', async () => {
    const outcome = await now('a', `for i in $(seq 1 9000); do echo "$i é漢字"; done`);
    expect(outcome.text.length).toBeLessThanOrEqual(12_000);
    expect(outcome.text).toContain('\n1 é漢字\n');
    expect(outcome.text).toContain('9000 é漢字');
    expect(outcome.text).not.toContain('\uFFFD');
    const total = Array.from({ length: 9000 }, (_, i) => `${i + 1} é漢字\n`).join('').length;
    const match = /\[… ([\d,]+) characters in ([\d,]+) lines left out; /.exec(outcome.text);
    const body = outcome.text.slice(outcome.text.indexOf('\n') + 1);
    const kept = body.replace(/\n\[… [^\n]* …\]\n/, '').length;
    expect(kept + Number(match?.[1]?.replaceAll(',', ''))).toBe(total);
    // Whole lines on both sides, and how to see the rest.
    expect(body).toMatch(
      /\n\d+ é漢字\n\[… .* get_session_output \(start_lines, end_lines\).* …\]\n\d+ é漢字\n/,
    );
  });

  test('what is too long to be read whole is counted with the rest that is left out', async () => {
    const patient = await actionRig();
    try {
      const { text } = await patient.call('run_command', {
        command: 'yes 0123456789012345678 | head -c 9000000',
        wait_for_completion: true,
      });
      expect(text.length).toBeLessThanOrEqual(12_000);
      const notes = [
        ...text.matchAll(/\[… about ([\d,]+) characters left out; write such output to a file/g),
      ];
      expect(notes).toHaveLength(1);
      const left = Number(notes[0]?.[1]?.replaceAll(',', ''));
      expect(Math.abs(left + text.length - 9_000_000)).toBeLessThan(20_000);
    } finally {
      await patient.dispose();
    }
  });

  test('stopping the run leaves the command and says so', async () => {
    const stop = new AbortController();
    const pending = rig.call(
      'run_command',
      { command: 'sleep 62', session_id: 'e', wait_for_completion: true },
      { signal: stop.signal },
    );
    await vi.waitFor(async () => expect((await rig.computer.sessions.find('e'))?.commandSeq).toBe(1), 60_000);
    stop.abort(new Error('stop'));
    expect(await pending).toMatchObject({ ok: false, closedBy: 'interrupted', error: { code: 'cancelled' } });
    await rig.call('kill_session_processes', { session_id: 'e' });
  });

  test('unknown names teach', async () => {
    expect((await rig.call('get_session_output', { session_id: 'zzz' })).text).toMatch(
      /^There is no session "zzz" on local\. Its sessions are: a, /,
    );
    const wrong = await rig.call('run_command', { command: 'ls', computer_ip: '10.0.0.9' });
    expect(wrong).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(wrong.text).toBe('There is no computer "10.0.0.9". The computers are: local.');
    expect((await rig.call('run_command', { command: 'true', computer_ip: '127.0.0.1' })).ok).toBe(true);
    expect((await rig.call('run_command', { command: ' ' })).text).toContain('empty');
  });
});

describe('sessions', () => {
  test('are opened once, listed, cleared and closed', async () => {
    const made = await rig.call('create_session', { session_id: 'f', http_port: 8123, use_proxy: 'True' });
    expect(made.text).toBe(`Session f is open on local, in ${rig.root}.`);
    expect((await rig.call('create_session', { session_id: 'f' })).text).toBe(
      'Session f already exists on local and is idle.',
    );
    const named = await rig.call('create_session', {});
    expect(named.data.session).toBe('session-1');
    expect((await rig.call('list_sessions', { computer_ip: 'None' })).text).toContain('f on local: idle');
    await now('f', 'echo secret-word');
    await rig.call('clear_session_buffer', { session_id: 'f' });
    expect((await rig.call('get_session_output', { session_id: 'f' })).text).not.toContain('secret-word');
    const { id } = (await rig.computer.sessions.find('f')) ?? { id: '' };
    const closed = await rig.call('close_session', { session_id: 'f' });
    expect(closed.events).toMatchObject([{ kind: 'session.ended', body: { session: 'f', uid: id } }]);
    expect((await rig.call('close_session', { session_id: 'f' })).ok).toBe(false);
    expect(rig.actions.offsets()).not.toHaveProperty('local:f');
  });

  test('output is sliced in logical lines from the end', async () => {
    await now('g', 'seq 1 200');
    const lines = async (args: object) =>
      (await rig.call('get_session_output', { session_id: 'g', ...args })).text.split('\n').slice(1);
    // The fourth line from the end is the prompt, which follows the end of the command a moment later.
    await vi.waitFor(
      async () => expect((await lines({ start_lines: 4 })).slice(0, 3)).toEqual(['198', '199', '200']),
      60_000,
    );
    const middle = await lines({ start_lines: '11', end_lines: 6 });
    expect(middle).toEqual(['191', '192', '193', '194', '195']);
    expect(await lines({ start_lines: 6, end_lines: 11 })).toEqual(middle);
    expect((await lines({ start_lines: 5, end_lines: 5 })).length).toBe(5);
  });

  test('a progress bar does not crowd out lines', async () => {
    await now('g', `echo before; for i in $(seq 1 2000); do printf '\\r%s' $i; done; echo; echo behind`);
    const { text } = await rig.call('get_session_output', { session_id: 'g', start_lines: 5 });
    expect(text.split('\n')).toEqual(expect.arrayContaining(['before', '2000', 'behind']));
  });

  test('output since a time', async () => {
    await now('g', 'echo early-line');
    const since = Date.now() / 1000;
    await now('g', 'echo late-line');
    const { text } = await rig.call('get_session_output', { session_id: 'g', since_timestamp: since });
    expect(text).toContain('late-line');
    expect(text).not.toContain('early-line');
    const recent = await rig.call('get_session_recent_output', { session_id: 'g', seconds: 3000 });
    expect(recent.text).toContain('early-line');
  });

  test('input is refused by an idle and by a busy session; Ctrl-C reaches both kinds of program', async () => {
    await rig.call('create_session', { session_id: 'h' });
    expect((await rig.call('input_in_session', { session_id: 'h', input_text: 'x' })).text).toContain(
      'is idle',
    );
    await start('h', 'sleep 63');
    await reaches('h', 'busy');
    const refused = await rig.call('input_in_session', { session_id: 'h', input_text: 'x' });
    expect(refused).toMatchObject({ ok: false, error: { code: 'refused' }, data: { state: 'busy' } });
    const interrupted = await rig.call('input_in_session', { session_id: 'h', input_text: '\u0003' });
    expect(interrupted.data.state).toBe('idle');
    expect((await rig.call('get_session_status', { session_id: 'h' })).text).toContain('exit code 130');
  });

  test('kill asks first and forces what does not listen', async () => {
    await start('h', `bash -c 'trap "" TERM; echo armed; while :; do sleep 1; done' & sleep 64`);
    await vi.waitFor(
      async () => expect((await rig.call('get_session_output', { session_id: 'h' })).text).toMatch(/\narmed/),
      60_000,
    );
    const killed = await rig.call('kill_session_processes', { session_id: 'h' });
    expect(killed).toMatchObject({ ok: true, data: { state: 'idle' } });
    expect(killed.text).toContain('had to be killed');
    expect((await rig.call('kill_session_processes', { session_id: 'h' })).text).toContain(
      'Nothing was running',
    );
  });

  test('close_all_sessions leaves none', async () => {
    const closed = await rig.call('close_all_sessions', {});
    expect(closed.data.closed).toBeGreaterThan(3);
    expect(await rig.computer.sessions.list()).toEqual([]);
    expect(rig.actions.offsets()).toEqual({});
    expect((await rig.call('close_all_sessions', {})).text).toContain('no sessions');
  });
});
