import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentSetup, agentSetup } from '../../testing/agent-host/agent-setup';
import { openSession, runToEnd, untilState, utf8 } from '../../testing/conformance/session-driver';
import { eventually, factDeadlineMs } from '../../testing/deadline';
import { ComputerUnavailable } from '../failures';

const never = new AbortController().signal;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe.each(['perl', 'python3'] as const)('what a lost channel leaves behind (%s)', (helper) => {
  const open: AgentSetup[] = [];

  async function make(): Promise<AgentSetup & { bench: Parameters<typeof openSession>[0] }> {
    const setup = await agentSetup(helper);
    open.push(setup);
    return { ...setup, bench: { computer: setup.computer, workdir: setup.workdir, setup } };
  }

  afterEach(async () => {
    for (const { computer, link, transport, dispose } of open.splice(0)) {
      transport.thaw();
      await link.linked(never);
      for (const { name } of await computer.sessions.list()) await computer.sessions.close(name);
      await computer.dispose();
      await dispose();
    }
  });

  /** What the host itself has in the session's log. */
  async function hostLog({ link }: AgentSetup, name = 's'): Promise<Buffer> {
    return readFile(join(link.facts()?.base ?? '', 'run-1', name, 'spool'));
  }

  /** Lets `work` reach the host and loses its answer; resolves once `reached` and the loss are known. */
  async function withLostAnswer(
    { link, transport }: AgentSetup,
    op: string,
    work: () => Promise<unknown>,
    reached: () => unknown,
  ): Promise<void> {
    transport.loseAnswersFrom(op);
    const outcome = work().then(
      () => new Error('It was answered.'),
      (error: unknown) => error,
    );
    await eventually(`${op} has reached the host`, reached);
    transport.cut();
    expect(await outcome).toBeInstanceOf(ComputerUnavailable);
    await link.linked(never);
  }

  it('follows a log over 20 kills of the helper: every byte once', async () => {
    const setup = await make();
    const { computer, link, transport, workdir, bench } = setup;
    await openSession(bench);
    await computer.sessions.run(
      's',
      'until [ -e stop ]; do head -c 20000 /dev/urandom | base64 -w 120; sleep 0.01; done; exit',
    );
    const parts: Buffer[] = [];
    let at = 0;
    let kills = 0;
    let killAt = 0;
    let stopped = false;
    for (;;) {
      try {
        await link.linked(never);
        const end = await computer.sessions.follow(
          's',
          at,
          async ({ offset, bytes }) => {
            expect(offset).toBe(at);
            parts.push(Buffer.from(bytes));
            at += bytes.length;
            // Each helper is killed once; what it sent before still comes.
            if (kills < 20 && at > killAt && kills < transport.opened) {
              kills += 1;
              killAt = at + 40_000;
              transport.cut();
            }
            if (kills === 20 && at > 1_200_000 && !stopped) {
              stopped = true;
              await writeFile(join(workdir, 'stop'), '');
            }
          },
          never,
        );
        expect(end).toEqual({ reason: 'ended', offset: at });
        break;
      } catch (error) {
        if (!(error instanceof ComputerUnavailable)) throw error;
      }
    }
    expect(kills).toBe(20);
    expect(transport.opened).toBeGreaterThanOrEqual(21);
    expect(at).toBeGreaterThan(1_200_000);
    expect(sha256(Buffer.concat(parts))).toBe(sha256(await hostLog(setup)));
  });

  it('runs a command once whose answer was lost and that is asked for again', async () => {
    const setup = await make();
    const { computer, workdir, bench } = setup;
    await openSession(bench);
    const run = () => computer.sessions.run('s', 'echo ran >> count; echo done');
    const count = async () => readFile(join(workdir, 'count'), 'utf8').catch(() => '');
    await withLostAnswer(setup, 'command', run, async () => (await count()) !== '');
    const { commandSeq } = await run();
    expect(commandSeq).toBe(1);
    expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs })).toMatchObject(
      {
        exitCode: 0,
        timedOut: false,
      },
    );
    expect(await count()).toBe('ran\n');
    // And it is an ordinary session again.
    expect((await runToEnd(computer, 'cat count')).text).toBe('ran\n');
    expect(await computer.sessions.commands('s')).toHaveLength(2);
  });

  it('makes one session of a start whose answer was lost', async () => {
    const setup = await make();
    const { computer, bench } = setup;
    const directory = () => join(setup.link.facts()?.base ?? '', 'run-1', 's');
    const made = async () => (await readdir(directory()).catch(() => [''])).includes('meta');
    await withLostAnswer(setup, 'start', () => openSession(bench), made);
    const { id } = await openSession(bench);
    expect(await readFile(join(directory(), 'meta'), 'utf8')).toContain(`id=${id}\n`);
    expect((await runToEnd(computer, 'echo one')).text).toBe('one\n');
    // Another start is another order.
    await expect(openSession(bench)).rejects.toMatchObject({ reason: 'session_exists' });
  });

  it('delivers input once that carries a number', async () => {
    const setup = await make();
    const { computer, bench, workdir } = setup;
    await openSession(bench);
    const { commandSeq } = await computer.sessions.run(
      's',
      'read line; echo "$line" > first; read line; echo "$line" > second',
    );
    await untilState(computer, 'waiting');
    const next = ((await computer.sessions.find('s'))?.inputSeq ?? 0) + 1;
    const type = () => computer.sessions.write('s', utf8('one\n'), next);
    await withLostAnswer(setup, 'input', type, async () => (await readdir(workdir)).includes('first'));
    expect(await type()).toEqual({ inputSeq: next, delivered: false });
    await computer.sessions.write('s', utf8('two\n'));
    await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect(await readFile(join(workdir, 'first'), 'utf8')).toBe('one\n');
    expect(await readFile(join(workdir, 'second'), 'utf8')).toBe('two\n');
  });

  it('closes a session once and tells how it ended, also when that was lost', async () => {
    const setup = await make();
    const { computer, bench } = setup;
    const { id } = await openSession(bench);
    const root = join(setup.link.facts()?.base ?? '', 'run-1');
    const archived = async () => (await readdir(root)).includes(`.closed-${id}`);
    await withLostAnswer(setup, 'archive', () => computer.sessions.close('s'), archived);
    expect(await computer.sessions.close('s')).toMatchObject({ id });
    expect(await computer.sessions.find('s')).toBeUndefined();
    await expect(computer.sessions.close('s')).rejects.toMatchObject({ reason: 'session_not_found' });
  });

  it.each([
    ['small', 3000, 'f.write'],
    ['large', 3_000_000, 'f.commit'],
  ])('writes a %s file whose answer was lost whole, and says so honestly', async (_size, length, op) => {
    const setup = await make();
    const { computer, workdir } = setup;
    const path = join(workdir, 'file');
    const { sha256: old } = await computer.files.write(path, utf8('old'));
    const bytes = randomBytes(length);
    const written = async () => sha256(await readFile(path)) === sha256(bytes);
    await withLostAnswer(setup, op, () => computer.files.write(path, bytes, { expectSha256: old }), written);
    // What it expected is not there any more: its own bytes are.
    await expect(computer.files.write(path, bytes, { expectSha256: old })).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(await computer.files.hash(path)).toBe(sha256(bytes));
    expect(await computer.files.write(path, bytes)).toEqual({ sha256: sha256(bytes) });
    expect(await readdir(workdir)).toEqual(['file']);
  });

  it('leaves a file as it was when the channel goes during an upload, and no draft', async () => {
    const setup = await make();
    const { computer, link, transport, workdir } = setup;
    const path = join(workdir, 'file');
    await computer.files.write(path, utf8('old'));
    transport.loseAnswersFrom('f.put');
    const writing = computer.files.write(path, randomBytes(5_000_000));
    const outcome = writing.catch((error: unknown) => error);
    await eventually('some of it has come', async () => (await readdir(workdir)).length === 2);
    // Its input ends, as it does when a connection is closed: the helper tidies up.
    link.close();
    expect(await outcome).toBeInstanceOf(ComputerUnavailable);
    await eventually('the draft is gone', async () => (await readdir(workdir)).length === 1);
    expect(await readFile(path, 'utf8')).toBe('old');
  });

  it('refuses at once while the link is down, types nothing later, and goes on when it is back', async () => {
    const setup = await make();
    const { computer, link, transport, bench } = setup;
    await openSession(bench);
    const { commandSeq } = await computer.sessions.run('s', 'read line; echo "[$line]"');
    await untilState(computer, 'waiting');
    const typed = link.typedCount;
    transport.cut();
    await eventually('the loss is noticed', () => link.health().state === 'down');
    const refused: Promise<unknown>[] = [
      computer.sessions.write('s', utf8('lost\n')),
      computer.sessions.run('s', 'true'),
      computer.sessions.state('s'),
      computer.sessions.waitCommand('s', commandSeq, {}),
      computer.sessions.list(),
      computer.sessions.follow('s', 0, () => undefined, never),
      computer.files.read('/etc/hostname', { maxBytes: 1000 }),
      computer.files.write('/nowhere', utf8('x')),
      computer.probe(),
      computer.exec('true', { timeoutMs: 1000 }),
    ];
    for (const each of refused) {
      await expect(each).rejects.toMatchObject({ code: 'computer_unavailable', computer: 'test-host' });
    }
    expect(link.typedCount).toBe(typed);
    await computer.linked(never);
    await untilState(computer, 'waiting');
    await computer.sessions.write('s', utf8('kept\n'));
    expect(link.typedCount).toBe(typed + 1);
    await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect((await hostLog(setup)).toString()).toContain('[kept]');
  });

  it('fails what was asked of a helper that froze once its channel is given up', async () => {
    const setup = await make();
    const { computer, link, transport, bench } = setup;
    await openSession(bench);
    const { commandSeq } = await computer.sessions.run('s', 'sleep 0.2; echo slept');
    const waiting = computer.sessions.waitCommand('s', commandSeq, {}).catch((error: unknown) => error);
    transport.freeze();
    const asked = computer.sessions.state('s').catch((error: unknown) => error);
    link.close();
    expect(await asked).toBeInstanceOf(ComputerUnavailable);
    expect(await waiting).toBeInstanceOf(ComputerUnavailable);
    await link.linked(never);
    expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs })).toMatchObject(
      {
        exitCode: 0,
      },
    );
  });
});
