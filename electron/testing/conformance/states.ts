import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually, factDeadlineMs } from '../deadline';
import {
  type Bench,
  countRunning,
  openSession,
  ownSeconds,
  runToEnd,
  untilState,
  untilText,
  utf8,
} from './session-driver';

/** Idle, busy, waiting, interactive; input; signals. */
export function stateCases(bench: () => Bench): void {
  it('is idle at the prompt, also with a background job', async () => {
    const { computer } = bench();
    await openSession(bench());
    await untilState(computer, 'idle');
    await runToEnd(computer, 'sleep 300 &');
    const state = await untilState(computer, 'idle');
    expect(state).toMatchObject({ foreground: [], command: undefined, diskFull: false });
  });

  it.each([
    ['read', 'read x', true],
    ['read -s', 'read -s x', false],
    ['cat', 'cat', true],
    ['cat in a pipe', 'cat | wc -l', true],
    ['a child shell', "bash -c 'read x'", true],
    ['select', 'select x in a b; do break; done', true],
    ['python', 'python3 -c "input()"', true],
  ])('waits for input in %s', async (_name, command, echo) => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', command);
    const state = await untilState(computer, 'waiting');
    expect(state.echo).toBe(echo);
    expect(state.command?.commandSeq).toBe(commandSeq);
    await computer.sessions.write('s', utf8('1\n'));
    await computer.sessions.write('s', utf8('\x04'));
    expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs })).toMatchObject(
      {
        timedOut: false,
      },
    );
  });

  it('sees programs that read single keys as interactive', async () => {
    const { computer } = bench();
    await openSession(bench());
    await computer.sessions.run(
      's',
      'stty -icanon; python3 -c "import select,sys; select.select([sys.stdin],[],[])"',
    );
    await untilState(computer, 'interactive');
    await computer.sessions.write('s', utf8('q'));
    await untilState(computer, 'idle');
  });

  it.each([
    ['sleep', 'sleep 300'],
    ['a shell loop', 'while :; do :; done'],
    ['a loop of commands', 'while :; do sleep 0.05; done'],
    ['wait', 'sleep 300 & wait'],
    ['a blocking socket', 'exec 3<&0; python3 -c "import socket; a,b=socket.socketpair(); a.recv(1)"'],
    ['a pipe that says nothing', 'sleep 300 | cat'],
  ])('is busy in %s, refuses another command, and killing gets the prompt back', async (_name, command) => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', `echo begun; ${command}`);
    await untilText(computer, '\nbegun');
    for (let look = 0; look < 5; look += 1) expect((await computer.sessions.state('s')).state).toBe('busy');
    await expect(computer.sessions.run('s', 'echo no')).rejects.toMatchObject({
      reason: 'session_busy',
      code: 'session_busy',
    });
    const { remaining } = await computer.sessions.signal('s', 'KILL');
    expect(remaining).toEqual([]);
    await untilState(computer, 'idle');
    const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect(outcome.timedOut).toBe(false);
  });

  it('gets the prompt back when the interrupt comes while the shell returns to it', async () => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run(
      's',
      'eval "$(declare -f __wm_now | sed s/__wm_now/__wm_real_now/)"; __wm_now() { if [ -z "$hit" ]; then hit=1; kill -INT $$; fi; __wm_real_now; }',
    );
    await untilState(computer, 'idle');
    const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect(outcome).toMatchObject({ timedOut: false });
    expect(await runToEnd(computer, 'echo "hit $hit"')).toMatchObject({ text: 'hit 1\n' });
  });

  it('gives one of two commands sent at once the session and refuses the other', async () => {
    const { computer, setup } = bench();
    await openSession(bench());
    const other = await setup.again();
    const sent = await Promise.allSettled([
      computer.sessions.run('s', 'sleep 300'),
      other.sessions.run('s', 'sleep 300'),
      computer.sessions.run('s', 'sleep 300'),
    ]);
    await other.dispose();
    expect(sent.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    for (const one of sent) if (one.status === 'rejected') expect(one.reason.reason).toBe('session_busy');
  });

  it('interrupts with INT as Ctrl-C does, and by the key itself', async () => {
    const { computer } = bench();
    await openSession(bench());
    const first = await computer.sessions.run('s', 'sleep 300; echo not reached');
    await untilState(computer, 'busy');
    // The shell's child is in front before it becomes what it is to run.
    await eventually('sleep runs', async () =>
      (await computer.sessions.state('s')).foreground.some(({ command }) => command === 'sleep 300'),
    );
    const { signalled } = await computer.sessions.signal('s', 'INT');
    expect(signalled[0]?.command).toBe('sleep 300');
    expect(await computer.sessions.waitCommand('s', first.commandSeq, {})).toMatchObject({ exitCode: 130 });
    const second = await computer.sessions.run('s', 'yes');
    await untilText(computer, 'y\ny\n');
    await computer.sessions.write('s', utf8('\x03'));
    expect(await computer.sessions.waitCommand('s', second.commandSeq, {})).toMatchObject({ exitCode: 130 });
    expect(await computer.sessions.signal('s', 'INT')).toEqual({ signalled: [], remaining: [] });
  });

  it('kills everything a command started, detached children included, and keeps what it wrote', async () => {
    const { computer, workdir } = bench();
    const own = ownSeconds();
    await openSession(bench());
    const script = `sleep ${own}.1 & nohup sleep ${own}.2 >/dev/null 2>&1 & setsid sleep ${own}.3 & (sleep ${own}.4 & sleep ${own}.5) & echo kept; trap '' TERM; sleep ${own}.6`;
    const { commandSeq } = await computer.sessions.run('s', script);
    await untilText(computer, '\nkept');
    const count = () => countRunning(bench(), `sleep ${own}.[1-6]`);
    await eventually('all six run', async () => (await count()) === 6);
    const { signalled, remaining } = await computer.sessions.signal('s', 'KILL');
    expect(remaining).toEqual([]);
    expect(signalled.length).toBeGreaterThanOrEqual(6);
    await eventually('none is left', async () => (await count()) === 0);
    const outcome = await computer.sessions.waitCommand('s', commandSeq, {});
    expect(outcome.exitCode).toBe(137);
    const { bytes } = await computer.sessions.read(
      's',
      outcome.startOffset,
      outcome.endOffset - outcome.startOffset,
    );
    expect(new TextDecoder().decode(bytes)).toContain('kept');
    expect((await runToEnd(computer, 'pwd')).text).toBe(`${workdir}\n`);
  });

  it('tells who survives TERM', async () => {
    const { computer } = bench();
    await openSession(bench());
    await computer.sessions.run('s', `bash -c "trap '' TERM; echo begun; while :; do sleep 0.05; done"`);
    await untilText(computer, '\nbegun');
    const outcome = await computer.sessions.signal('s', 'TERM', { graceMs: 150 });
    expect(outcome.remaining.some((process) => process.command.startsWith('bash -c'))).toBe(true);
    expect((await computer.sessions.signal('s', 'KILL')).remaining).toEqual([]);
  });

  it('delivers a paste of 100 KB whole, also to a program that does not read yet', async () => {
    const { computer, workdir } = bench();
    await openSession(bench());
    const lines = Array.from(
      { length: 2000 },
      (_, i) => `${String(i).padStart(5, '0')} ${'x'.repeat(44)}\n`,
    ).join('');
    const { commandSeq } = await computer.sessions.run('s', 'cat > paste');
    await untilState(computer, 'waiting');
    await computer.sessions.write('s', utf8(lines));
    await computer.sessions.write('s', utf8('\x04'));
    await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    const pasted = await computer.files.read(join(workdir, 'paste'), { maxBytes: 1e6 });
    expect(new TextDecoder().decode(pasted.bytes)).toBe(lines);

    const late = await computer.sessions.run('s', 'until [ -e go ]; do sleep 0.02; done; cat > late');
    await eventually('the loop runs', async () => (await computer.sessions.state('s')).foreground.length > 0);
    await computer.sessions.write('s', utf8(lines));
    await computer.sessions.write('s', utf8('\x04'));
    // A session whose program does not read holds nobody up.
    await openSession(bench(), 'other');
    expect((await runToEnd(computer, 'echo free', 'other')).text).toBe('free\n');
    await computer.files.write(join(workdir, 'go'), utf8(''));
    await computer.sessions.waitCommand('s', late.commandSeq, { timeoutMs: factDeadlineMs });
    expect((await computer.files.stat(join(workdir, 'late')))?.size).toBe(lines.length);
  });

  it('refuses more unread input than it may hold', async () => {
    const { computer } = bench();
    await openSession(bench());
    await computer.sessions.run('s', 'sleep 300');
    const line = utf8(`${'x'.repeat(99)}\n`.repeat(40_000));
    await computer.sessions.write('s', line);
    await computer.sessions.write('s', line);
    await expect(computer.sessions.write('s', line)).rejects.toMatchObject({ reason: 'input_full' });
  });

  it('delivers one input number once', async () => {
    const { computer, setup } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', 'read a; read b; echo "[$a][$b]"');
    await untilState(computer, 'waiting');
    const next = ((await computer.sessions.find('s'))?.inputSeq ?? 0) + 1;
    expect(await computer.sessions.write('s', utf8('one\n'), next)).toEqual({
      inputSeq: next,
      delivered: true,
    });
    expect(await computer.sessions.write('s', utf8('one\n'), next)).toEqual({
      inputSeq: next,
      delivered: false,
    });
    const again = await setup.again();
    expect(await again.sessions.write('s', utf8('one\n'), next)).toEqual({
      inputSeq: next,
      delivered: false,
    });
    expect(await again.sessions.write('s', utf8('two\n'))).toEqual({ inputSeq: next + 1, delivered: true });
    await again.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    await untilText(again, '[one][two]');
    await again.dispose();
  });

  it('tells the new size to programs', async () => {
    const { computer } = bench();
    await openSession(bench());
    expect((await runToEnd(computer, 'stty size')).text).toBe('40 120\n');
    await computer.sessions.resize('s', 50, 200);
    expect((await runToEnd(computer, 'stty size')).text).toBe('50 200\n');
  });
}
