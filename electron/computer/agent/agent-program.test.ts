import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentProgram } from '../../testing/agent-program-client';
import { command, commandEnded, lookAt, TestHost, type } from '../../testing/agent-program-host';
import { eventually } from '../../testing/deadline';
import { helperKinds } from './bootstrap';
import { parseHello } from './hello';

const run = promisify(execFile);
const mebi = 1024 * 1024;
/** Mounting needs root. */
const mountable = process.getuid?.() === 0 && existsSync('/dev/fuse');

/** CPU time used, in hundredths of a second. */
async function ticksOf(program: AgentProgram): Promise<number> {
  const text = await readFile(`/proc/${program.pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function residentBytes(program: AgentProgram): Promise<number> {
  return Number((await readFile(`/proc/${program.pid}/statm`, 'utf8')).split(' ')[1]) * 4096;
}

/** It sleeps, and nothing has made it work for a while. */
async function atRest(program: AgentProgram): Promise<boolean> {
  const switches = async () =>
    /voluntary_ctxt_switches:\s+(\d+)/.exec(await readFile(`/proc/${program.pid}/status`, 'utf8'))?.[1];
  const first = await switches();
  for (let looks = 0; looks < 5; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    if ((await switches()) !== first) return false;
  }
  return true;
}

describe.each(helperKinds)('the helper in %s', (helper) => {
  let host: TestHost;
  let agent: AgentProgram;
  beforeAll(async () => {
    host = await TestHost.make(helper);
    agent = await host.agent();
  });
  afterAll(() => host.dispose());

  it('tells what the host is, and leaves nothing by telling', async () => {
    const { fields } = await agent.must('hello', ['1']);
    const facts = parseHello(fields);
    const { stdout } = await run('bash', [
      '-c',
      'hostname; id -un; nproc; cat /proc/sys/kernel/random/boot_id; echo $BASH_VERSION',
    ]);
    const [hostname, user, cpus, boot, bashVersion] = stdout.split('\n');
    expect(facts).toMatchObject({ platform: 'linux', hostname, user, cpus: Number(cpus), boot, bashVersion });
    expect(facts).toMatchObject({ home: host.home, base: host.base, helper, helperLacks: [], notify: true });
    expect(facts.totalBytes).toBeGreaterThan(facts.freeBytes);
    expect(facts.freeBytes).toBeGreaterThan(0);
    expect(facts.memoryBytes).toBeGreaterThan(mebi);
    expect(facts.baseWhy).toMatch(/^[A-Z].*\.$/);
    expect(Math.abs(facts.now - Date.now())).toBeLessThan(30_000);
    expect(await readdir(host.home)).toEqual([]);
    const { fields: ping } = await agent.must('ping');
    expect(Math.abs(Number(ping[0]) - Date.now())).toBeLessThan(30_000);
    expect(agent.path).toMatch(new RegExp(`^/.*${helper}`));
  });

  it('answers what is no request, and goes on', async () => {
    const refused = async (op: string, args: (string | number)[] = []) =>
      (await agent.ask(op, args)).fields[0];
    expect(await refused('nothing')).toBe('bad_request');
    expect(await refused('look', ['relative', 0, 0])).toBe('bad_request');
    expect(await refused('look', ['/tmp', 'x', 0])).toBe('bad_request');
    expect(await refused('look', ['/tmp'])).toBe('bad_request');
    expect(await refused('follow', ['a', '/tmp', 0, 0])).toBe('bad_request');
    expect(await refused('follow', [1, '/tmp', -1, 0])).toBe('bad_request');
    expect(await refused('resource', ['x'.repeat(64)])).toBe('bad_request');
    expect(await refused('start', ['/tmp/x'])).toBe('bad_request');
    expect(await refused('command', ['/tmp', 1, '../x', 'line', 0, ''])).toBe('bad_request');
    expect(await refused('stage', ['key', 5])).toBe('bad_request');
    expect((await agent.ask('resource', ['a'.repeat(64)], Buffer.from('other'))).fields[0]).toBe(
      'bad_request',
    );
    agent.send(['x1', 'ping']);
    agent.send(['17']);
    await eventually(
      'both were answered',
      () => agent.told.filter((each) => each.fields[2] === 'bad_request').length === 2,
    );
    await agent.must('unwatch', [99]);
    await agent.must('cancel', [12345]);
    expect((await agent.ask('ping')).ok).toBe(true);
  });

  it('takes any words for arguments', async () => {
    const words = [
      '',
      '0',
      '1',
      '-1',
      'x',
      '9'.repeat(20),
      '1e3',
      ' 1',
      '1\n',
      '..',
      '\0',
      '%00\t\n',
      '\xff\xfe',
      'y'.repeat(5000),
    ];
    words.push(
      join(host.home, 'none'),
      join(host.home, '\xff\n'),
      `/${'z/'.repeat(3000)}`,
      '/dev/null',
      '/proc/self',
    );
    // The same choices in every run.
    let state = 7;
    const next = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * below);
    };
    const ops =
      'mkroot start resource clear directories identify look read follow unfollow watch unwatch stage input command resize ' +
      'started holders kill archive discard drop f.read f.range f.write f.begin f.put f.commit f.abort f.stat f.list f.walk ' +
      'f.real f.mkdir f.hash f.link exec';
    const other = await host.agent();
    const answers = ops.split(' ').flatMap((op) =>
      Array.from({ length: 12 }, () => {
        const args = Array.from({ length: next(12) }, () => words[next(words.length)] ?? '');
        return other.ask(op, args, Buffer.from(words[next(words.length)] ?? ''));
      }),
    );
    for (const answer of await Promise.all(answers)) {
      if (!answer.ok) expect(answer.fields[0]).toMatch(/^[a-z_]+$/);
      expect(answer.fields.join(' ')).not.toContain('The helper failed');
    }
    expect((await other.ask('ping')).ok).toBe(true);
  });

  it('says when a disk is full or may not be written', async () => {
    if (!mountable) return;
    const place = join(host.home, 'small');
    await mkdir(place);
    const mounted = async (options: string) => {
      const script = `mount --make-rprivate / && mount -t tmpfs -o ${options} none "$0" && exec "$@"`;
      return host.agent({ shell: ['unshare', '-m', 'sh', '-c', script, place, 'sh', '-c'] });
    };
    const small = await mounted('size=128k');
    const path = join(place, 'large');
    expect((await small.ask('f.write', [path, '', 'any', 0], randomBytes(mebi))).fields[0]).toBe('no_space');
    const begun = await small.must('f.begin', [path, 0]);
    expect((await small.ask('f.put', [begun.fields[0] ?? '', 0], randomBytes(mebi))).fields[0]).toBe(
      'no_space',
    );
    await small.must('f.abort', [begun.fields[0] ?? '']);
    expect((await small.must('f.list', [place, 1])).body.length).toBe(0);
    const closed = await mounted('ro');
    expect((await closed.ask('f.write', [path, '', 'any', 0])).fields.slice(0, 3)).toEqual([
      'read_only',
      'the file system is read-only',
      'EROFS',
    ]);
    expect((await closed.ask('f.mkdir', [path])).fields[0]).toBe('read_only');
  });

  it.each([
    ['no number', 'hello\n'],
    ['no end of the line', '123456789012345678901234'],
    ['a header that is too long', '65537 0\n'],
    ['a body that is too long', '5 1048577\n'],
    ['no header', '0 5\n'],
  ])('ends when what comes is no frame: %s', async (_what, bytes) => {
    const other = await host.agent();
    other.sendBytes(Buffer.from(bytes));
    expect(await other.ended()).toBe(1);
    expect(other.stderr).toContain('waymark: the helper ends: ');
  });

  it('takes frames however they are cut', async () => {
    const other = await host.agent();
    const body = randomBytes(mebi);
    const sha256 = createHash('sha256').update(body).digest('hex');
    const path = join(host.home, 'cut');
    const answer = other.askAs('900', 'f.write', [path, '', 'any', 0], body);
    const first = other.askAs('901', 'ping', []);
    expect((await answer).fields).toEqual([sha256]);
    expect((await first).ok).toBe(true);
    const pings = Buffer.concat(
      Array.from({ length: 300 }, (_, i) =>
        Buffer.from(`${5 + String(2000 + i).length} 0\n${2000 + i}\tping`),
      ),
    );
    for (const byte of pings) other.sendBytes(Uint8Array.of(byte));
    await eventually(
      'all were answered',
      () => other.told.filter((each) => each.fields[0] === '=').length === 300,
    );
    expect(await other.end()).toBe(0);
  });

  it('asks for nothing while the client does not read, and loses nothing', async () => {
    const other = await host.agent();
    const bytes = randomBytes(mebi);
    const path = join(host.home, 'unread');
    await writeFile(path, bytes);
    other.pause();
    const answers = Array.from({ length: 30 }, () => other.ask('f.read', [path, mebi]));
    const before = await residentBytes(other);
    await eventually('it has come to rest', () => atRest(other));
    // 30 MB are asked for; what it holds is bounded.
    expect((await residentBytes(other)) - before).toBeLessThan(24 * mebi);
    other.resume();
    for (const answer of await Promise.all(answers)) expect(answer.body.equals(bytes)).toBe(true);
  });

  it('ends with its input, its children with it, and its sessions without it', async () => {
    const other = await host.agent();
    const session = await host.session(other, 'outlives');
    const left = join(host.home, 'left');
    void other.ask('exec', [host.home, 60_000], Buffer.from(`echo $$ > ${left}; exec sleep 600`));
    void other.ask('f.walk', ['/', 1, 1_000_000_000]);
    const pid = await eventually(
      'the script runs',
      async () => /^\d+/.exec(await readFile(left, 'utf8').catch(() => ''))?.[0],
    );
    const children = async () =>
      (await run('ps', ['-eo', 'ppid=,pid='])).stdout
        .split('\n')
        .filter((line) => line.trim().startsWith(`${other.pid} `));
    expect((await children()).length).toBeGreaterThan(0);
    expect(await other.end()).toBe(0);
    // A zombie is gone; who reaps it is not the helper's business any more.
    await eventually('its script is gone', async () =>
      / [ZX] |^$/.test((await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).slice(0, 60)),
    );
    await eventually('nobody is left', async () => (await children()).length === 0);
    expect((await lookAt(agent, session.directory)).life).toBe('alive');
  });

  it('ends when nothing comes from its client any more', async () => {
    const other = await host.agent({ env: { WAYMARK_AGENT_SILENCE: '2' } });
    const began = performance.now();
    // Asking keeps it awake past its time.
    await eventually('it has lived longer than that', async () => {
      await other.must('ping');
      return performance.now() - began > 3000;
    });
    expect(await other.ended()).toBe(0);
  });

  it('tells what the login manager does at the end of a login', async () => {
    const bin = join(host.home, 'bin');
    await mkdir(bin);
    const script =
      '#!/bin/sh\ncase "$*" in *KillUser*) echo KillUserProcesses=yes;; *Linger*) echo Linger=no;; esac\n';
    await writeFile(join(bin, 'loginctl'), script, { mode: 0o755 });
    const other = await host.agent({ env: { PATH: `${bin}:${process.env.PATH}` } });
    const facts = parseHello((await other.must('hello', ['1'])).fields);
    expect(facts).toMatchObject({ killUserProcesses: true, linger: false });
    // One that does not answer is not waited for.
    await writeFile(join(bin, 'loginctl'), '#!/bin/sh\nexec sleep 60\n');
    expect((await other.must('hello', ['1'])).fields).toContain('kill_user_processes=');
    await run('rm', ['-r', bin]);
  });

  it('does with less: no numbers of system calls, no modules beyond the smallest perl', async () => {
    const lib = join(host.home, 'lib');
    for (const module of ['Digest/SHA', 'Time/HiRes']) {
      await mkdir(join(lib, module, '..'), { recursive: true });
      await writeFile(join(lib, `${module}.pm`), 'die "not on this host"');
    }
    const other = await host.agent({ env: { WAYMARK_AGENT_PLAIN: '1', PERL5LIB: lib } });
    const facts = parseHello((await other.must('hello', ['1'])).fields);
    expect(facts.helperLacks).toEqual(helper === 'perl' ? ['Digest::SHA', 'inotify'] : ['inotify']);
    expect(facts).toMatchObject({ punch: false, notify: false, base: host.base });
    expect(facts.totalBytes).toBeGreaterThan(mebi);
    const bytes = randomBytes(mebi);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = join(host.home, 'plain');
    expect((await other.must('f.write', [path, '', 'any', 0], bytes)).fields).toEqual([sha256]);
    expect((await other.must('f.write', [path, '', sha256, 0], bytes)).fields).toEqual([sha256]);
    const read = await other.must('f.read', [path, mebi]);
    expect(read.fields[3]).toBe(sha256);
    expect(Math.abs(Number(read.fields[1]) - (await stat(path)).mtimeMs)).toBeLessThanOrEqual(1000);
    expect((await other.must('f.hash', [path])).fields).toEqual([sha256]);
    const session = await host.session(other, 'plain');
    await other.must('follow', [1, session.directory, 0, mebi]);
    await other.must('watch', [1, session.directory]);
    await command(other, session, 1, 'echo by-$((40+2))');
    await eventually('it came', () => other.followed(1).includes('by-42'));
    await eventually('changes were told of', () => other.toldOf('c', 1).length > 0);
    await type(other, session, 'exit\n');
    await eventually('the end was told', () => other.toldOf('e', 1).length > 0);
  });

  it('leaves nothing open, neither itself nor its workers', async () => {
    const other = await host.agent();
    const openOf = async (pid: string | number) => (await readdir(`/proc/${pid}/fd`)).length;
    await other.must('ping');
    const before = await openOf(other.pid);
    const session = await host.session(other, 'open');
    for (let fid = 0; fid < 10; fid += 1) await other.must('follow', [fid, session.directory, 0, mebi]);
    const path = join(host.home, 'written');
    const digest = createHash('sha256').update(path).digest('hex');
    for (let round = 0; round < 10; round += 1) {
      const writes = [1, 2, 3].map((part) =>
        other.must('f.write', [path + part, '', 'any', 0], Buffer.from(path)),
      );
      await Promise.all(writes);
      await other.must('f.write', [`${path}1`, '', digest, 0], Buffer.from(path));
      await other.must('f.walk', [host.home, 1, 1000]);
      expect((await other.ask('f.write', [host.home, '', 'any', 0])).fields[0]).toBe('is_directory');
      await Promise.all([1, 2, 3].map((part) => other.must('f.hash', [path + part])));
    }
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(other.pid)]);
    const workers = stdout.split('\n').filter((line) => line.trim() !== '');
    expect(workers.length).toBeGreaterThanOrEqual(6);
    for (const pid of workers) {
      // Three standard ones, its channel, random numbers, and what the login shell had open.
      expect(await openOf(pid.trim())).toBeLessThanOrEqual(before + 4);
      const names = await readdir(`/proc/${pid.trim()}/fd`);
      const targets = await Promise.all(
        names.map((name) => readlink(`/proc/${pid.trim()}/fd/${name}`).catch(() => '')),
      );
      expect(targets.filter((target) => target.includes(host.home))).toEqual([]);
    }
    for (let fid = 0; fid < 10; fid += 1) await other.must('unfollow', [fid]);
    expect(await openOf(other.pid)).toBeLessThanOrEqual(before + workers.length + 1);
  });

  it('leaves no zombies', async () => {
    const session = await host.session(agent, 'zombies');
    await agent.must('exec', [host.home, 5000], Buffer.from('true'));
    const { fields } = await agent.must('f.hash', ['/etc/passwd']);
    expect(fields[0]).toHaveLength(64);
    await command(agent, session, 1, 'true');
    await commandEnded(agent, session, 1);
    await eventually('no zombie is its child', async () => {
      const { stdout } = await run('ps', ['-eo', 'ppid=,stat=']);
      return !stdout.split('\n').some((line) => new RegExp(`^\\s*${agent.pid}\\s+Z`).test(line));
    });
  });

  it('two followers share the way fairly', async () => {
    const names = ['left', 'right'];
    const sessions = await Promise.all(names.map((name) => host.session(agent, name)));
    for (const session of sessions) {
      await command(agent, session, 1, 'head -c 6000000 /dev/zero | tr "\\\\0" x');
      await commandEnded(agent, session, 1);
    }
    const other = await host.agent();
    other.pause();
    const begun = sessions.map((session, i) => other.ask('follow', [i + 1, session.directory, 0, 3 * mebi]));
    await eventually('it waits for its reader', () => atRest(other));
    other.resume();
    await Promise.all(begun);
    await eventually('both came', () => [1, 2].every((fid) => other.followed(fid).length === 3 * mebi));
    // Served in turn: never more than a turn's frames of one while the other waits.
    const order = other.told.filter((each) => each.fields[0] === 'd').map((each) => each.fields[1]);
    const longest =
      order
        .join('')
        .match(/1+|2+/g)
        ?.slice(2, -2)
        .map((streak) => streak.length) ?? [];
    expect(Math.max(0, ...longest)).toBeLessThanOrEqual(2);
  });

  it('costs next to nothing while sixteen sessions are idle', async () => {
    const other = await host.agent();
    const names = Array.from({ length: 16 }, (_, i) => `idle-${i}`);
    const sessions = [];
    for (const name of names) sessions.push(await host.session(other, name));
    for (const [i, session] of sessions.entries()) {
      await other.must('follow', [i, session.directory, 0, 64 * mebi]);
      await other.must('watch', [i, session.directory]);
    }
    const [before, began] = [await ticksOf(other), performance.now()];
    await other.must('exec', [host.home, 10_000], Buffer.from('sleep 3'));
    const share = ((await ticksOf(other)) - before) / 100 / ((performance.now() - began) / 1000);
    // The bar is 1 %; the script's end is among it.
    expect(share).toBeLessThan(0.02);
  });

  it('keeps sessions elsewhere when the home directory cannot hold them', async () => {
    if (process.getuid?.() !== 0) return;
    // A user whose home is not theirs: /var/tmp serves, in a directory nobody else has made before.
    const uid = 61_000 + Math.floor(Math.random() * 4000);
    const spare = `/var/tmp/waymark-${uid}`;
    const shell = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', 'sh', '-c'];
    await chmod(host.home, 0o755);
    try {
      const poor = await host.agent({ shell, env: { HOME: host.home } });
      expect(parseHello((await poor.must('hello', ['1'])).fields)).toMatchObject({
        base: spare,
        user: String(uid),
      });
      await poor.must('mkroot', [spare]);
      expect((await stat(spare)).mode & 0o777).toBe(0o700);
      await run('rm', ['-rf', spare]);
      await mkdir(spare);
      const robbed = await host.agent({ shell, env: { HOME: host.home } });
      const facts = parseHello((await robbed.must('hello', ['1'])).fields);
      expect(facts.base).toBe('');
      expect(facts.baseWhy).toContain('belongs to somebody else');
      expect((await robbed.ask('resource', ['a'.repeat(64)])).fields[0]).toBe('permission');
    } finally {
      await run('rm', ['-rf', spare]);
    }
  });

  /** The helper's login shell in a mount namespace with a network's file system. */
  const withMount = async (name: string) => {
    const mounted = join(host.home, name);
    await mkdir(mounted);
    const script = join(import.meta.dirname, '../../testing/agent-program-mount.py');
    return { mounted, shell: ['unshare', '-m', 'python3', script, mounted, 'sh', '-c'] };
  };

  it('goes on while a disk does not answer', async () => {
    if (!mountable) return;
    const { mounted, shell } = await withMount('hanging');
    const far = await host.agent({ shell });
    const hanging = Array.from({ length: 5 }, () => far.nextId());
    const answers = hanging.map((id) => far.askAs(id, 'f.stat', [join(mounted, 'hang')]));
    const session = await host.session(far, 'unimpressed');
    await command(far, session, 1, 'true');
    await commandEnded(far, session, 1);
    // Other disks are served all the same.
    expect((await far.must('f.stat', ['/'])).fields[0]).toBe('directory');
    for (const id of hanging) await far.must('cancel', [id]);
    for (const answer of answers) expect((await answer).fields[0]).toBe('cancelled');
    expect((await far.must('f.stat', ['/'])).fields[0]).toBe('directory');
    expect(await far.end()).toBe(0);
  });

  it('keeps sessions off a network file system', async () => {
    if (!mountable) return;
    const { mounted, shell } = await withMount('mounted');
    const far = await host.agent({ shell, env: { HOME: mounted } });
    const facts = parseHello((await far.must('hello', ['1'])).fields);
    expect(facts.home).toBe(mounted);
    expect(facts.base).toBe(`/var/tmp/waymark-${process.getuid?.()}`);
    expect(facts.baseWhy).toContain('network file system (fuse.sshfs)');
    expect(facts.baseFileSystem).not.toBe('fuse.sshfs');
  });
});
