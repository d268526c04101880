import { expect, it } from 'vitest';
import type { SessionChunk } from '../../computer/port';
import { eventually, factDeadlineMs } from '../deadline';
import {
  type Bench,
  countRunning,
  mustFind,
  openSession,
  ownSeconds,
  readRange,
  runToEnd,
  untilState,
  untilText,
  utf8,
  wholeText,
} from './session-driver';

/** Names, lives and deaths of sessions; following. */
export function lifeCases(bench: () => Bench): void {
  it('outlives its port: another start finds it, complete from the first byte', async () => {
    const { computer, setup } = bench();
    const made = await openSession(bench(), '训练 Session #1');
    const name = made.name;
    const first = await runToEnd(computer, 'echo before; cd /', name);
    const { commandSeq } = await computer.sessions.run(name, 'read x; echo "after $x"');
    await untilState(computer, 'waiting', name);
    const before = await mustFind(computer, name);
    await computer.dispose();

    const again = await setup.again();
    expect(await again.sessions.list()).toMatchObject([{ name, id: made.id, alive: true, commandSeq }]);
    const found = await mustFind(again, name);
    expect(found.inputSeq).toBe(before.inputSeq);
    expect(found.endOffset).toBeGreaterThanOrEqual(before.endOffset);
    expect(await readRange(again, name, first.startOffset, first.endOffset)).toEqual(first.output);
    expect(await again.sessions.waitCommand(name, first.commandSeq, {})).toMatchObject({
      exitCode: 0,
      startOffset: first.startOffset,
      endOffset: first.endOffset,
      startedAt: first.startedAt,
    });
    await untilState(again, 'waiting', name);
    await again.sessions.write(name, utf8('restart\n'));
    await again.sessions.waitCommand(name, commandSeq, { timeoutMs: factDeadlineMs });
    await untilText(again, 'after restart', name);
    await again.sessions.close(name);
    await again.dispose();
  });

  it('hands over every byte once and in order to a follower, to the very end', async () => {
    const { computer } = bench();
    await openSession(bench());
    const chunks: SessionChunk[] = [];
    const parts: Uint8Array[] = [];
    const following = computer.sessions.follow(
      's',
      0,
      (chunk) => {
        chunks.push(chunk);
        parts.push(chunk.bytes.slice());
      },
      new AbortController().signal,
    );
    await computer.sessions.run('s', 'seq 1 200000; echo the last words; exit 5');
    const end = await following;
    const bytes = Buffer.concat(parts);
    expect(end).toEqual({ reason: 'ended', offset: bytes.length });
    let at = 0;
    for (const [i, chunk] of chunks.entries()) {
      expect(chunk.offset).toBe(at);
      expect(Math.abs(chunk.hostAt - chunk.receivedAt)).toBeLessThan(60_000);
      at += parts[i]?.length ?? 0;
    }
    expect(bytes.toString()).toContain('\r\n199999\r\n200000\r\nthe last words\r\n');
    expect(Buffer.compare(bytes, await readRange(computer, 's', 0, bytes.length))).toBe(0);
    const stop = new AbortController();
    stop.abort();
    expect(await computer.sessions.follow('s', 7, () => undefined, stop.signal)).toEqual({
      reason: 'aborted',
      offset: 7,
    });
  });

  it('wakes a follower at once when something is printed after a quiet time', async () => {
    const { computer } = bench();
    await openSession(bench());
    const stop = new AbortController();
    let text = '';
    const following = computer.sessions.follow(
      's',
      0,
      ({ bytes }) => {
        text += new TextDecoder().decode(bytes);
      },
      stop.signal,
    );
    await eventually('the prompt arrived', () => /[$#] $/.test(text));
    await runToEnd(computer, 'echo ping');
    await eventually(
      'the follower saw it',
      () => text.includes('\r\nping') || text.includes('\x07ping'),
      2000,
    );
    stop.abort();
    expect((await following).reason).toBe('aborted');
  });

  it('tells the exit code of a shell that ended and refuses to go on', async () => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', 'echo bye; exit 3');
    expect(await computer.sessions.waitCommand('s', commandSeq, {})).toMatchObject({
      exitCode: 3,
      timedOut: false,
    });
    expect(await computer.sessions.state('s')).toMatchObject({ state: 'ended', exitCode: 3 });
    await expect(computer.sessions.run('s', 'true')).rejects.toMatchObject({ reason: 'session_ended' });
    await expect(computer.sessions.write('s', utf8('x'))).rejects.toMatchObject({ reason: 'session_ended' });
    await expect(openSession(bench())).rejects.toMatchObject({ reason: 'session_exists' });
    expect(await computer.sessions.close('s')).toMatchObject({ exitCode: 3 });
  });

  it('is lost, and says so, when its supervisor is killed', async () => {
    const { computer, setup } = bench();
    const seconds = ownSeconds();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run(
      's',
      `echo here; echo "supervisor=$(ps -o ppid= -p $$)"; sleep ${seconds}`,
    );
    const pid = await eventually('the number is shown', async () => {
      return /supervisor=\s*(\d+)\n/.exec(await wholeText(computer))?.[1];
    });
    const following = computer.sessions.follow('s', 0, () => undefined, new AbortController().signal);
    await setup.shell(`kill -9 ${pid}`);
    await untilState(computer, 'lost');
    expect(await following).toMatchObject({ reason: 'ended' });
    expect(await computer.sessions.waitCommand('s', commandSeq, {})).toMatchObject({
      exitCode: null,
      timedOut: false,
    });
    await expect(computer.sessions.run('s', 'true')).rejects.toMatchObject({ reason: 'session_lost' });
    await untilText(computer, 'here');
    expect(await computer.sessions.close('s')).toMatchObject({ exitCode: null });
    await eventually('its command is gone', async () => {
      return (await countRunning(bench(), `sleep ${seconds}`)) === 0;
    });
  });

  it('leaves no process behind when it is closed, and frees the name', async () => {
    const { computer } = bench();
    const seconds = ownSeconds();
    const { id } = await openSession(bench());
    const script = `nohup sleep ${seconds}.1 & setsid sleep ${seconds}.2 & sleep ${seconds}.3`;
    await computer.sessions.run('s', script);
    const count = () => countRunning(bench(), `sleep ${seconds}.[123]`);
    await eventually('all run', async () => (await count()) === 3);
    const closed = await computer.sessions.close('s');
    expect(closed).toMatchObject({ id });
    expect(closed.endOffset).toBeGreaterThan(0);
    expect(await count()).toBe(0);
    expect(await computer.sessions.find('s')).toBeUndefined();
    await expect(computer.sessions.close('s')).rejects.toMatchObject({ reason: 'session_not_found' });
    expect((await openSession(bench())).id).not.toBe(id);
    expect(await computer.sessions.discardClosed(Date.now() + 60_000)).toBe(1);
  });

  it('gives a name to one of several who ask at once', async () => {
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => openSession(bench(), 'same')));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ reason: 'session_exists' });
    }
  });

  it('refuses what cannot be', async () => {
    const { computer, workdir } = bench();
    await expect(openSession(bench(), '')).rejects.toMatchObject({ reason: 'invalid_name' });
    await expect(openSession(bench(), 'x'.repeat(65))).rejects.toMatchObject({ reason: 'invalid_name' });
    await expect(openSession(bench(), 's', { cwd: `${workdir}/none` })).rejects.toMatchObject({
      reason: 'cwd_missing',
    });
    expect(await computer.sessions.list()).toEqual([]);
    await expect(computer.sessions.state('s')).rejects.toMatchObject({ reason: 'session_not_found' });
    // Names that differ in case, or look like paths, are different names.
    await openSession(bench(), '../a');
    await openSession(bench(), '../A');
    expect((await computer.sessions.list()).map((info) => info.name)).toEqual(['../A', '../a']);
  });

  it('runs 16 sessions at once', async () => {
    const { computer } = bench();
    const names = Array.from({ length: 16 }, (_, i) => `n${i}`);
    await Promise.all(names.map((name) => openSession(bench(), name)));
    const results = await Promise.all(
      names.map((name) => runToEnd(computer, `echo "I am ${name}"; seq 5000`, name)),
    );
    for (const [i, result] of results.entries())
      expect(result.text.startsWith(`I am n${i}\n1\n2\n`)).toBe(true);
    expect(await computer.sessions.list()).toHaveLength(16);
  });
}
