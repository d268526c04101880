import { execFile } from 'node:child_process';
import { link, mkdir, readdir, readFile, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProgram, tableOf } from '../../testing/agent-program-client';
import { command, commandEnded, lookAt, TestHost, type } from '../../testing/agent-program-host';
import { eventually } from '../../testing/deadline';
import { helperKinds } from './bootstrap';

const run = promisify(execFile);
const mebi = 1024 * 1024;

describe.each(helperKinds)('sessions through the helper in %s', (helper) => {
  let host: TestHost;
  let agent: AgentProgram;
  beforeAll(async () => {
    host = await TestHost.make(helper);
    agent = await host.agent();
    await agent.must('mkroot', [host.base]);
  });
  afterAll(() => host.dispose());

  it('start once; the same order again is the same session, another one is not', async () => {
    const order = await host.startOrder(agent, 'once', { given: ['GIVEN=a b\nc%'] });
    expect((await agent.must('start', order)).fields).toEqual(['started']);
    expect((await agent.must('start', order)).fields).toEqual(['started']);
    const other = await host.startOrder(agent, 'once');
    expect((await agent.must('start', other)).fields).toEqual(['exists']);
    const { fields, body } = await agent.must('identify', [order[0] ?? '']);
    expect(fields).toEqual([order[2]]);
    expect(body.toString()).toContain(`id=${order[1]}\n`);
    const { shell, supervisor } = metaOf(body);
    // Until the shell has taken its place, the process still has what the supervisor was started with.
    const environment = await eventually('it is the shell', async () => {
      const all = (await readFile(`/proc/${shell}/environ`, 'utf8')).split('\0');
      return all.some((each) => each.startsWith('WAYMARK_NONCE=')) ? undefined : all;
    });
    expect(environment).toContain('GIVEN=a b\nc%');
    expect(environment).toContain('TERM=xterm-256color');
    expect(environment).toContain('LANG=C.UTF-8');
    expect(environment.filter((each) => each.startsWith('SSH_') || each.includes(String(order[2])))).toEqual(
      [],
    );
    // On its own feet: no child of the helper, in a session of its own, with nothing of its pipes.
    const { stdout } = await run('ps', ['-o', 'ppid=,sid=', '-p', String(supervisor)]);
    const [parent, session] = stdout.trim().split(/\s+/);
    expect(parent).not.toBe(String(agent.pid));
    expect(session).toBe(String(supervisor));
    const { fields: names } = await agent.must('directories', [host.base]);
    expect(names).toContain('once');
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('refuses to start where it cannot', async () => {
    const gone = await host.startOrder(agent, 'nowhere', { cwd: join(host.home, 'gone') });
    expect((await agent.ask('start', gone)).fields[0]).toBe('cwd_missing');
    const unknown = await host.startOrder(agent, 'unknown', { kinds: `perl:${'0'.repeat(64)}` });
    expect((await agent.ask('start', unknown)).fields[0]).toBe('supervisor_missing');
    const bad = await host.startOrder(agent, 'bad', { given: ['WAYMARK_SESSION=x'] });
    expect((await agent.ask('start', bad)).fields[0]).toBe('bad_request');
    // The first kind is not there: the next is taken.
    const [, , , , , , , , , sound] = await host.startOrder(agent, 'second');
    const second = await host.startOrder(agent, 'second', { kinds: `perl:${'1'.repeat(64)},${sound}` });
    expect((await agent.must('start', second)).fields).toEqual(['started']);
    for (const op of ['identify', 'look', 'read', 'follow', 'input', 'command', 'drop', 'archive']) {
      const directory = join(host.base, 'absent');
      const args: Record<string, (string | number)[]> = {
        look: [directory, 0, 1],
        read: [directory, 0, 10],
        follow: [900, directory, 0, 10],
        input: [directory, 0, ''],
        command: [directory, 1, 'token', 'line\n', 0, ''],
        drop: [directory, 10],
        archive: [directory, host.base, 'aa'],
      };
      expect([op, (await agent.ask(op, args[op] ?? [directory])).fields[0]]).toEqual([
        op,
        'session_not_found',
      ]);
    }
  });

  it('clears what a crash left, and nothing else', async () => {
    const directory = join(host.base, 'half');
    await mkdir(join(directory, 'inbox'), { recursive: true });
    expect((await agent.must('clear', [directory])).fields).toEqual(['0']);
    await utimes(directory, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
    expect((await agent.must('clear', [directory])).fields).toEqual(['1']);
    expect(await readdir(host.base)).not.toContain('half');
    expect((await agent.must('clear', [directory])).fields).toEqual(['1']);
    const { directory: alive } = await host.session(agent, 'stays');
    await utimes(alive, new Date(0), new Date(0));
    expect((await agent.must('clear', [alive])).fields).toEqual(['0']);
  });

  it('reads, follows with credit, in order, up to the end', async () => {
    const session = await host.session(agent, 'follow');
    await agent.must('follow', [1, session.directory, 0, 10]);
    await eventually('ten bytes came', () => agent.followed(1).length === 10);
    agent.send([agent.nextId(), 'credit', '1', String(64 * mebi)]);
    await command(agent, session, 1, 'seq 1 200000');
    await commandEnded(agent, session, 1);
    await type(agent, session, 'exit 7\n');
    await eventually('the end was told', () => agent.toldOf('e', 1).length > 0);
    const log = await readFile(join(session.directory, 'spool'));
    expect(agent.followed(1).equals(log)).toBe(true);
    expect(agent.toldOf('e', 1)[0]?.fields).toEqual(['e', '1', String(log.length)]);
    let offset = 0;
    for (const { fields, body } of agent.toldOf('d', 1)) {
      expect(Number(fields[2])).toBe(offset);
      expect(body.length).toBeLessThanOrEqual(65536);
      expect(Math.abs(Number(fields[3]) - Date.now())).toBeLessThan(60_000);
      offset += body.length;
    }
    const read = await agent.must('read', [session.directory, 5, 2 * mebi]);
    expect(read.fields).toEqual(['5', String(log.length), '0']);
    expect(read.body.equals(log.subarray(5, 5 + mebi))).toBe(true);
    expect((await agent.must('read', [session.directory, log.length + 5, 10])).body.length).toBe(0);
    expect(await lookAt(agent, session.directory)).toMatchObject({
      life: 'ended',
      exit: '7',
      size: log.length,
    });
    expect((await agent.ask('input', [session.directory, 0, ''], Buffer.from('x'))).fields[0]).toBe(
      'session_ended',
    );
    // A follower of what is over already gets it all and its end.
    await agent.must('follow', [2, session.directory, 3, mebi * 64]);
    await eventually('the end was told again', () => agent.toldOf('e', 2).length > 0);
    expect(agent.followed(2).equals(log.subarray(3))).toBe(true);
    await agent.must('follow', [3, session.directory, 0, 0]);
    expect((await agent.ask('follow', [3, session.directory, 0, 0])).fields[0]).toBe('bad_request');
    await agent.must('unfollow', [3]);
    await agent.must('unfollow', [3]);
  });

  it('a follower learns that its session is over although the name lives on', async () => {
    const session = await host.session(agent, 'renewed');
    const { shell, supervisor } = metaOf((await agent.must('identify', [session.directory])).body);
    await agent.must('follow', [10, session.directory, 0, mebi]);
    await agent.must('archive', [session.directory, host.base, session.id]);
    await host.session(agent, 'renewed');
    await eventually('the end was told', () => agent.toldOf('e', 10).length > 0);
    await agent.must('archive', [session.directory, host.base, session.id]);
    expect((await lookAt(agent, session.directory)).life).toBe('alive');
    await agent.must('kill', ['KILL', shell, 'KILL', supervisor]);
    expect((await agent.ask('archive', [session.directory, host.base, 'other'])).fields[0]).toBe(
      'session_not_found',
    );
  });

  it('echo in one session does not wait for a flood in another', async () => {
    const flood = await host.session(agent, 'flood');
    const quiet = await host.session(agent, 'quiet');
    await command(agent, quiet, 1, 'stty -echo; cat');
    await eventually('cat runs', async () =>
      (await lookAt(agent, quiet.directory, 0, 1)).processes.some((p) => p[9] === 'cat'),
    );
    await agent.must('follow', [20, flood.directory, 0, 1024 * mebi]);
    await agent.must('follow', [21, quiet.directory, 0, 1024 * mebi]);
    await command(agent, flood, 1, "yes 'many words of no great interest'");
    await eventually('the flood is on', () => agent.followed(20).length > 4 * mebi);
    const times: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const before = performance.now();
      await type(agent, quiet, `word-${i}\n`);
      await eventually('the echo came', () => agent.followed(21).includes(`word-${i}\r\n`));
      times.push(performance.now() - before);
    }
    await agent.must('unfollow', [20]);
    await type(agent, flood, '\x03');
    await commandEnded(agent, flood, 1);
    times.sort((a, b) => a - b);
    // The bar is 100 ms; other tests share this machine.
    expect(times[10]).toBeLessThan(250);
  });

  it('tells what is gone before it goes on', async () => {
    const session = await host.session(agent, 'gap');
    await command(agent, session, 1, 'seq 1 3000');
    await commandEnded(agent, session, 1);
    await type(agent, session, 'exit\n');
    await eventually('it has ended', async () => (await lookAt(agent, session.directory)).life === 'ended');
    const log = await readFile(join(session.directory, 'spool'));
    await eventually('nobody holds the log', async () => {
      const { fields } = await agent.must('drop', [session.directory, 9000]);
      return fields[0] === '8192';
    });
    expect((await readFile(join(session.directory, 'spool'))).subarray(8192).equals(log.subarray(8192))).toBe(
      true,
    );
    await agent.must('follow', [30, session.directory, 100, mebi]);
    await eventually('the end was told', () => agent.toldOf('e', 30).length > 0);
    expect(agent.told.filter((each) => each.fields[1] === '30')[0]?.fields).toEqual([
      'g',
      '30',
      '100',
      '8192',
    ]);
    expect(agent.followed(30).equals(log.subarray(8192))).toBe(true);
    const read = await agent.must('read', [session.directory, 100, 50]);
    expect(read.fields[2]).toBe('8192');
    expect(read.body.length).toBe(0);
  });

  it('gives space back while its supervisor is ending', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 6 }, (_, index) => host.session(agent, `ending-${index}`)),
    );
    for (const session of sessions) {
      await command(agent, session, 1, 'seq 1 3000');
      await commandEnded(agent, session, 1);
      await type(agent, session, 'exit\n');
      // Asked without a pause until it has ended: some of these ring a bell that nobody hears any more.
      let life = 'alive';
      while (life !== 'ended') {
        await agent.must('drop', [session.directory, 9000]);
        ({ life } = await lookAt(agent, session.directory));
      }
      expect((await agent.must('drop', [session.directory, 9000])).fields).toEqual(['8192']);
    }
  });

  it('asks a living supervisor to give space back', async () => {
    const session = await host.session(agent, 'drop');
    await command(agent, session, 1, 'seq 1 20000');
    await commandEnded(agent, session, 1);
    const before = (await stat(join(session.directory, 'spool'))).blocks;
    const { fields } = await agent.must('drop', [session.directory, 50_000]);
    expect(fields).toEqual(['49152']);
    expect((await lookAt(agent, session.directory)).dropped).toBe(49152);
    expect((await stat(join(session.directory, 'spool'))).blocks).toBeLessThan(before);
  });

  it('input is delivered once under its number', async () => {
    const session = await host.session(agent, 'input');
    const count = () => lookAt(agent, session.directory);
    const first = await agent.must('input', [session.directory, 0, ''], Buffer.from('echo one-$((1+1))\n'));
    expect(first.fields).toEqual(['1', '1']);
    expect((await agent.must('input', [session.directory, 1, ''], Buffer.from('echo no\n'))).fields).toEqual([
      '1',
      '0',
    ]);
    expect(
      (await agent.must('input', [session.directory, 5, ''], Buffer.from('echo five-$((2+3))\n'))).fields,
    ).toEqual(['5', '1']);
    expect((await agent.must('input', [session.directory, 4, ''], Buffer.from('echo no\n'))).fields).toEqual([
      '4',
      '0',
    ]);
    await eventually('both were run', async () => {
      const text = (await readFile(join(session.directory, 'spool'))).toString();
      return text.includes('one-2') && text.includes('five-5') && !text.includes('echo no');
    });
    expect(await count()).toMatchObject({ inputSeq: 5, pending: 0 });
    // Nobody reads: 8 MB may wait, not more.
    await command(agent, session, 1, 'stty raw -echo; sleep 300');
    await eventually('sleep runs', async () =>
      (await lookAt(agent, session.directory, 0, 1)).processes.some((p) => p[9] === 'sleep 300'),
    );
    for (let i = 0; i < 8; i += 1) await agent.must('stage', ['key', i * 900_000], Buffer.alloc(900_000, 97));
    expect((await agent.must('input', [session.directory, 0, 'key'])).fields).toEqual(['7', '1']);
    expect((await agent.ask('input', [session.directory, 0, 'key'])).fields[0]).toBe('bad_request');
    await agent.must('input', [session.directory, 0, ''], Buffer.alloc(mebi, 98));
    expect((await agent.ask('input', [session.directory, 0, ''], Buffer.alloc(mebi, 98))).fields[0]).toBe(
      'input_full',
    );
  });

  it('a command takes its number once; its token may ask again', async () => {
    const session = await host.session(agent, 'command');
    expect((await command(agent, session, 1, 'echo first', 'token-a')).fields).toEqual(['sent']);
    expect((await command(agent, session, 1, 'echo first', 'token-a')).fields).toEqual(['sent']);
    await commandEnded(agent, session, 1);
    expect((await command(agent, session, 1, 'echo first', 'token-a')).fields).toEqual(['sent']);
    expect((await command(agent, session, 1, 'echo other', 'token-b')).fields[0]).toBe('taken');
    // What broke off after the number was taken and before the line was typed is gone on with.
    const cmd = join(session.directory, 'cmd');
    await writeFile(join(cmd, '.token-c'), 'echo third-$((1+2))');
    await writeFile(join(cmd, '.token-c.line'), '__wm_load 3;eval "$__wm_text";__wm_end $?\n');
    await link(join(cmd, '.token-c'), join(cmd, '3'));
    expect((await command(agent, session, 2, 'echo late', 'token-d')).fields[0]).toBe('taken');
    expect((await command(agent, session, 3, 'echo third', 'token-c')).fields).toEqual(['sent']);
    await commandEnded(agent, session, 2);
    const text = (await readFile(join(session.directory, 'spool'))).toString();
    expect(text).toContain('third-3');
    expect(text.match(/first/g)).toHaveLength(2);
    expect(text).not.toContain('other');
    expect((await lookAt(agent, session.directory)).commandSeq).toBe(3);
    expect((await readdir(cmd)).filter((name) => !name.includes('token-c') && !name.startsWith('3'))).toEqual(
      [],
    );
  });

  it('tells processes and the terminal’s mode', async () => {
    const session = await host.session(agent, 'processes');
    const { body } = await agent.must('identify', [session.directory]);
    const meta = metaOf(body);
    const prompt = await lookAt(agent, session.directory, 0, 1);
    expect(prompt.processes).toHaveLength(1);
    expect(prompt.processes[0]?.[8]).toBe('1');
    await command(agent, session, 1, '(setsid sleep 4321 & ) ; sleep 4322 & read -s word');
    const started = async () =>
      tableOf((await agent.must('started', [session.id, meta.shell, meta.supervisor, meta.shellStart])).body);
    const list = await eventually('both sleep', async () => {
      const rows = await started();
      return rows.filter((row) => row[9]?.startsWith('sleep')).length === 2 && rows;
    });
    expect(list.map((row) => row[9]).sort()).toEqual(['sleep 4321', 'sleep 4322']);
    // A number that belongs to another process by now tells nothing: only what carries the session's mark is its own.
    const foreign = ['none', meta.shell, meta.supervisor, '1'];
    expect(tableOf((await agent.must('started', foreign)).body)).toEqual([]);
    const look = await eventually('it waits for input', async () => {
      const seen = await lookAt(agent, session.directory, 0, 1);
      return seen.processes[0]?.[7] === 'terminal' && seen.echo === '0' && seen;
    });
    expect(look).toMatchObject({ lineMode: '1', echo: '0', rebooted: '0' });
    expect(look.processes[0]?.[0]).toBe(String(meta.shell));
    const holders = [
      'holders',
      [meta.shell, meta.shellStart, meta.supervisor, meta.supervisorStart],
    ] as const;
    expect((await agent.must(...holders)).fields).toEqual([
      '1',
      String(meta.shell),
      String(meta.shell),
      'S',
      '1',
    ]);
    expect((await agent.must('holders', [meta.shell, '1', meta.supervisor, '1'])).fields).toEqual([
      '0',
      '',
      '',
      '',
      '0',
    ]);
    await agent.must('resize', [meta.tty, 40, 123]);
    await type(agent, session, 'x\n');
    await commandEnded(agent, session, 1);
    await command(agent, session, 2, 'stty size');
    await commandEnded(agent, session, 2);
    expect((await readFile(join(session.directory, 'spool'))).toString()).toContain('40 123');
    const pids = list.map((fields) => fields[0] ?? '');
    await agent.must('kill', [...pids.flatMap((pid) => ['KILL', pid]), 'TERM', '999999999']);
    await eventually('they are gone', async () => (await started()).length === 0);
    for (const bad of [['KILL', 1], ['KILL', 0], ['KILL', -1], ['STOP', 5000], ['KILL']]) {
      expect((await agent.ask('kill', bad)).fields[0]).toBe('bad_request');
    }
    expect((await agent.ask('resize', ['/etc/passwd', 10, 10])).fields[0]).toBe('bad_request');
  });

  it('tells of changes, not of growth, and of a death that makes none', async () => {
    const session = await host.session(agent, 'watch');
    const { shell, supervisor } = metaOf((await agent.must('identify', [session.directory])).body);
    const calmed = (watch: number) =>
      eventually('it is calm', async () => {
        const before = agent.toldOf('c', watch).length;
        await agent.must('exec', [host.home, 5000], Buffer.from('sleep 0.1'));
        return agent.toldOf('c', watch).length === before;
      });
    await agent.must('watch', [1, session.directory]);
    await calmed(1);
    const calm = agent.toldOf('c', 1).length;
    await writeFile(join(session.directory, 'spool'), 'more', { flag: 'a' });
    await agent.must('exec', [host.home, 5000], Buffer.from('sleep 0.05'));
    expect(agent.toldOf('c', 1).length).toBe(calm);
    await command(agent, session, 1, 'true');
    await eventually('marks were told of', () => agent.toldOf('c', 1).length > calm);
    await commandEnded(agent, session, 1);
    await agent.must('unwatch', [1]);
    await agent.must('watch', [2, session.directory]);
    // The supervisor may still write about the command that has just ended: what is told next is to be of its death.
    await calmed(2);
    const before = agent.toldOf('c', 2).length;
    process.kill(supervisor, 'SIGKILL');
    await eventually('the death was told of', () => agent.toldOf('c', 2).length > before);
    expect((await lookAt(agent, session.directory)).life).toBe('lost');
    expect((await agent.ask('input', [session.directory, 0, ''], Buffer.from('x'))).fields[0]).toBe(
      'session_lost',
    );
    expect(shell).toBeGreaterThan(1);
  });

  it('archives and discards', async () => {
    const session = await host.session(agent, 'close');
    await type(agent, session, 'exit\n');
    await eventually('it has ended', async () => (await lookAt(agent, session.directory)).life === 'ended');
    await agent.must('archive', [session.directory, host.base, session.id]);
    await agent.must('archive', [session.directory, host.base, session.id]);
    const kept = `.closed-${session.id}`;
    expect(await readdir(host.base)).toContain(kept);
    expect((await agent.must('discard', [host.base, 1000])).fields).toEqual(['0']);
    expect(Number((await agent.must('discard', [host.base, Date.now() + 60_000])).fields[0])).toBeGreaterThan(
      0,
    );
    expect(await readdir(host.base)).not.toContain(kept);
  });

  it('sessions outlive the helper, and another helper finds them', async () => {
    const passing = await host.agent();
    const session = await host.session(passing, 'lives');
    await command(passing, session, 1, 'sleep 0.3; echo after-$((10+1))');
    process.kill(passing.pid, 'SIGKILL');
    await passing.ended();
    await commandEnded(agent, session, 1);
    expect((await readFile(join(session.directory, 'spool'))).toString()).toContain('after-11');
  });

  it('keeps its directory to itself', async () => {
    const open = join(host.home, 'open');
    await mkdir(open, { mode: 0o777 });
    await agent.must('mkroot', [open]);
    expect((await stat(open)).mode & 0o777).toBe(0o700);
    await symlink(open, join(host.home, 'linked'));
    expect((await agent.ask('mkroot', [join(host.home, 'linked')])).fields[0]).toBe('permission');
    await agent.must('mkroot', [join(host.home, 'deep/er/root')]);
    expect((await stat(join(host.home, 'deep/er/root'))).mode & 0o777).toBe(0o700);
    await rename(open, join(host.home, 'moved'));
  });
});

function metaOf(body: Buffer) {
  const values = new Map(
    body
      .toString()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
  return {
    shell: Number(values.get('shell')),
    shellStart: values.get('shell_start') ?? '',
    supervisor: Number(values.get('supervisor')),
    supervisorStart: values.get('supervisor_start') ?? '',
    tty: values.get('tty') ?? '',
  };
}
