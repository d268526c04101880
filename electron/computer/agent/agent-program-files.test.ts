import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentProgram, bytesOf, tableOf } from '../../testing/agent-program-client';
import { TestHost } from '../../testing/agent-program-host';
import { eventually } from '../../testing/deadline';
import { LocalFiles } from '../local/local-files';
import { helperKinds } from './bootstrap';

const run = promisify(execFile);
const mebi = 1024 * 1024;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const asRoot = process.getuid?.() === 0;

describe.each(helperKinds)('files through the helper in %s', (helper) => {
  let host: TestHost;
  let agent: AgentProgram;
  let top: string;
  beforeAll(async () => {
    host = await TestHost.make(helper);
    agent = await host.agent();
    top = join(host.home, 'files');
    await mkdir(top);
  });
  afterAll(() => host.dispose());
  const at = (name: string) => join(top, name);
  const code = async (op: string, args: (string | number)[], body?: Uint8Array) => {
    const { ok, fields } = await agent.ask(op, args, body);
    return ok ? 'ok' : fields[0];
  };

  it('reads what a file holds, and looks at it as Node does', async () => {
    const bytes = randomBytes(5000);
    await writeFile(at('plain'), bytes, { mode: 0o640 });
    await utimes(at('plain'), 1_700_000_000.123, 1_700_000_000.123);
    const about = await stat(at('plain'));
    const read = await agent.must('f.read', [at('plain'), 5000]);
    expect(read.body.equals(bytes)).toBe(true);
    const [size, mtime, mode, sha256] = read.fields;
    expect([size, mode, sha256]).toEqual(['5000', '640', hashOf(bytes)]);
    expect(Number(mtime)).toBe(about.mtimeMs);
    expect((await agent.must('f.stat', [at('plain')])).fields).toEqual(['file', '5000', mtime, '640']);
    expect((await agent.must('f.stat', [top])).fields[0]).toBe('directory');
    expect((await agent.must('f.stat', ['/dev/null'])).fields[0]).toBe('other');
    expect((await agent.must('f.stat', [at('absent')])).fields).toEqual(['']);
    expect((await agent.must('f.stat', [at('plain/below')])).fields).toEqual(['']);
    const range = await agent.must('f.range', [at('plain'), 4990, 100]);
    expect(range.fields).toEqual(['5000', mtime]);
    expect(range.body.equals(bytes.subarray(4990))).toBe(true);
    expect((await agent.must('f.hash', [at('plain')])).fields).toEqual([hashOf(bytes)]);
    expect(Number((await agent.must('f.read', ['/proc/self/status', mebi])).fields[0])).toBeGreaterThan(100);
    const empty = await agent
      .must('f.read', ['/dev/null/..'.slice(0, 4), 1])
      .catch((error: Error) => error.message);
    expect(empty).toContain('is_directory');
  });

  it('says what is wrong in the words of the contract', async () => {
    await writeFile(at('small'), 'four');
    await run('mkfifo', [at('pipe')]);
    await symlink('circle', at('circle'));
    await mkdir(at('full'));
    await writeFile(at('full/x'), '');
    const long = at('n'.repeat(300));
    const cases: [string, string, (string | number)[]][] = [
      ['not_found', 'f.read', [at('absent'), 10]],
      ['is_directory', 'f.read', [top, 10]],
      ['not_directory', 'f.read', [at('small/x'), 10]],
      ['not_a_file', 'f.read', [at('pipe'), 10]],
      ['not_a_file', 'f.read', ['/dev/zero', 10]],
      ['invalid_path', 'f.read', [at('circle'), 10]],
      ['invalid_path', 'f.read', [long, 10]],
      ['invalid_path', 'f.read', ['small', 10]],
      ['invalid_path', 'f.read', [`${at('small')}\0x`, 10]],
      ['too_large', 'f.read', [at('small'), 3]],
      ['not_found', 'f.range', [at('absent'), 0, 10]],
      ['not_found', 'f.hash', [at('absent')]],
      ['is_directory', 'f.hash', [top]],
      ['not_found', 'f.list', [at('absent'), 1]],
      ['not_directory', 'f.list', [at('small'), 1]],
      ['not_found', 'f.walk', [at('absent'), 1, 10]],
      ['not_directory', 'f.walk', [at('small'), 1, 10]],
      ['not_found', 'f.real', [at('absent')]],
      ['exists', 'f.mkdir', [at('small')]],
      ['not_directory', 'f.mkdir', [at('small/x')]],
      ['not_found', 'f.remove', [at('absent'), 0]],
      ['not_found', 'f.remove', [at('absent'), 1]],
      ['not_empty', 'f.remove', [at('full'), 0]],
      ['permission', 'f.remove', ['/', 1]],
      ['not_found', 'f.write', [at('no/where'), '', 'any', 0]],
      ['is_directory', 'f.write', [top, '', 'any', 0]],
      ['not_a_file', 'f.write', [at('pipe'), '', 'any', 0]],
      ['not_a_file', 'f.write', ['/dev/null', '', 'any', 0]],
      ['conflict', 'f.write', [at('small'), '', 'absent', 0]],
      ['conflict', 'f.write', [at('small'), '', '0'.repeat(64), 0]],
      ['conflict', 'f.write', [at('absent'), '', '0'.repeat(64), 0]],
      ['bad_request', 'f.write', [at('small'), '9', 'any', 0]],
      ['bad_request', 'f.write', [at('small'), '', 'some', 0]],
      ['bad_request', 'f.put', ['/etc/passwd\0/etc/passwd', 0]],
      ['bad_request', 'f.read', [at('small'), 'x']],
      ['bad_request', 'f.read', [at('small')]],
      ['exists', 'f.link', ['x', at('small')]],
      ['is_directory', 'f.link', ['x', at('full')]],
    ];
    const seen = await Promise.all(cases.map(async ([, op, args]) => [await code(op, args), op, args]));
    expect(seen).toEqual(cases);
    expect((await agent.ask('f.read', [at('absent'), 10])).fields[2]).toBe('ENOENT');
    expect((await agent.ask('f.read', [at('small'), 3])).fields[2]).toBe('4');
    expect((await agent.ask('f.write', [at('small'), '', 'absent', 0])).fields[2]).toBe('exists');
    expect(await readFile(at('small'), 'utf8')).toBe('four');
    expect((await readdir(top)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is refused where the user may not', async () => {
    // Root may do everything, so another user asks.
    if (!asRoot) return;
    const shell = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'sh', '-c'];
    const nobody = await host.agent({ shell });
    const closed = at('closed');
    await mkdir(closed, { mode: 0o700 });
    await chmod(host.home, 0o755);
    expect((await nobody.ask('f.read', [join(closed, 'x'), 10])).fields.slice(0, 3)).toEqual([
      'permission',
      'permission denied',
      'EACCES',
    ]);
    expect((await nobody.ask('f.write', [at('new'), '', 'any', 0])).fields[0]).toBe('permission');
    expect((await nobody.ask('mkroot', [at('theirs')])).fields[0]).toBe('permission');
    expect((await nobody.ask('mkroot', [top])).fields[0]).toBe('permission');
    const walk = await nobody.must('f.walk', [top, 0, 1000]);
    expect(tableOf(walk.body).map((line) => line[3])).toContain(closed);
  });

  it('writes in one step, keeps mode and owner, goes through links', async () => {
    const old = Buffer.from('old');
    await writeFile(at('kept'), old, { mode: 0o751 });
    await chmod(at('kept'), 0o751);
    if (asRoot) await chown(at('kept'), 1234, 5678);
    await symlink('kept', at('link'));
    const bytes = randomBytes(mebi);
    const { fields } = await agent.must('f.write', [at('link'), '', hashOf(old), 0], bytes);
    expect(fields).toEqual([hashOf(bytes)]);
    expect((await readFile(at('kept'))).equals(bytes)).toBe(true);
    const about = await stat(at('kept'));
    expect(about.mode & 0o7777).toBe(0o751);
    if (asRoot) expect([about.uid, about.gid]).toEqual([1234, 5678]);
    expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
    await agent.must('f.write', [at('kept'), '600', 'any', 0], Buffer.from('new'));
    expect((await stat(at('kept'))).mode & 0o7777).toBe(0o600);
    await symlink('target', at('dangling'));
    await agent.must('f.write', [at('dangling'), '', 'absent', 0], Buffer.from('through'));
    expect(await readFile(at('target'), 'utf8')).toBe('through');
    expect((await stat(at('target'))).mode & 0o7777).toBe(0o644);
    await agent.must('f.write', [at('a/b/c'), '', 'any', 1]);
    expect((await stat(at('a/b/c'))).size).toBe(0);
    expect((await readdir(top)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('takes and gives large files in parts', async () => {
    const bytes = randomBytes(3 * mebi + 17);
    const begun = await agent.must('f.begin', [at('big/file'), 1]);
    const handle = begun.fields[0] ?? '';
    const parts = [2 * mebi, 0, 3 * mebi, mebi];
    await Promise.all(
      parts.map((offset) => agent.must('f.put', [handle, offset], bytes.subarray(offset, offset + mebi))),
    );
    expect(await code('f.commit', [handle, '', 'any', '0'.repeat(64)])).toBe('io');
    expect(await readdir(at('big'))).toEqual([]);
    const again = (await agent.must('f.begin', [at('big/file'), 0])).fields[0] ?? '';
    for (const offset of parts)
      await agent.must('f.put', [again, offset], bytes.subarray(offset, offset + mebi));
    expect((await agent.must('f.commit', [again, '640', 'absent', hashOf(bytes)])).fields).toEqual([
      hashOf(bytes),
    ]);
    expect((await readFile(at('big/file'))).equals(bytes)).toBe(true);
    expect((await stat(at('big/file'))).mode & 0o7777).toBe(0o640);
    const read = await agent.must('f.read', [at('big/file'), 10 * mebi]);
    expect([read.fields[0], read.fields[4], read.body.length]).toEqual([String(bytes.length), '1', 0]);
    expect(await code('f.read', [at('big/file'), mebi])).toBe('too_large');
    const range = await agent.must('f.range', [at('big/file'), mebi, 5 * mebi]);
    expect(range.body.equals(bytes.subarray(mebi, 2 * mebi))).toBe(true);
    // A draft given up is removed, by word or by the end of the channel.
    const third = (await agent.must('f.begin', [at('big/other'), 0])).fields[0] ?? '';
    await agent.must('f.abort', [third]);
    await agent.must('f.abort', [third]);
    const passing = await host.agent();
    await passing.must('f.begin', [at('big/other'), 0]);
    expect((await readdir(at('big'))).length).toBe(2);
    await passing.end();
    expect(await readdir(at('big'))).toEqual(['file']);
  });

  it('walks and lists as this computer does', async () => {
    const tree = at('tree');
    for (const folder of ['b', 'a', '.hidden', 'a/z', 'a/y', 'b/.x', 'ä', 'a.b'])
      await mkdir(join(tree, folder), { recursive: true });
    for (const file of [
      'a/1',
      'a/z/2',
      'b/3',
      '.hidden/4',
      'c',
      '.d',
      'new\nline',
      'tab\there',
      'per%cent',
      'ä/é',
      'a.b/5',
    ]) {
      await writeFile(join(tree, file), file);
    }
    await symlink('c', join(tree, 'to-file'));
    await symlink('a', join(tree, 'to-folder'));
    await symlink('nowhere', join(tree, 'to-nothing'));
    await symlink('to-self', join(tree, 'to-self'));
    await run('mkfifo', [join(tree, 'pipe')]);
    const local = new LocalFiles();
    for (const [hidden, maxEntries] of [
      [false, 1000],
      [true, 1000],
      [true, 5],
      [true, 0],
      [false, 14],
    ] as const) {
      const here = await local.walk(tree, { hidden, maxEntries });
      const there = await agent.must('f.walk', [tree, hidden ? 1 : 0, maxEntries]);
      expect(there.fields).toEqual([here.truncated ? '1' : '0']);
      expect(tableOf(there.body)).toEqual(
        here.entries.map((entry) => [
          entry.kind,
          String(entry.size),
          expect.toSatisfy((mtime: string) => Number(mtime) === entry.mtimeMs),
          bytesOf(entry.path),
        ]),
      );
    }
    for (const hidden of [false, true]) {
      const here = await local.list(tree, { hidden });
      const there = await agent.must('f.list', [tree, hidden ? 1 : 0]);
      expect(tableOf(there.body)).toEqual(here.map((entry) => [entry.kind, bytesOf(entry.name)]));
    }
    expect((await agent.must('f.real', [join(tree, 'to-folder/../to-folder/1')])).fields).toEqual([
      join(tree, 'a/1'),
    ]);
  });

  it('walks what is longer than one frame, and stops when told', async () => {
    const many = at('many');
    await run('sh', [
      '-c',
      `mkdir -p "$1" && cd "$1" && seq -f 'file-with-a-rather-long-name-to-fill-the-frame-%g' 1 20000 | xargs touch`,
      'sh',
      many,
    ]);
    const walk = await agent.must('f.walk', [many, 1, 1_000_000]);
    expect(tableOf(walk.body).length).toBe(20000);
    expect(walk.body.length).toBeGreaterThan(mebi);
    const list = await agent.must('f.list', [many, 1]);
    expect(tableOf(list.body).length).toBe(20000);
    const id = agent.nextId();
    const walking = agent.askAs(id, 'f.walk', ['/', 1, 100_000_000]);
    await agent.must('cancel', [id]);
    expect((await walking).fields[0]).toBe('cancelled');
    await agent.must('cancel', [id]);
    expect(await code('f.stat', [many])).toBe('ok');
    await agent.must('f.remove', [many, 1]);
    expect(await code('f.remove', [many, 1])).toBe('not_found');
  });

  it('keeps any name of a file', async () => {
    const odd = [
      '\xff\xfe not utf-8',
      'new\nline',
      'tab\t',
      '100%',
      '%0A',
      ' ',
      '-rf',
      '"quo\'te',
      '$(touch no)',
      bytesOf('日本語'),
    ];
    for (const name of odd) {
      const path = `${bytesOf(top)}/odd/${name}`;
      await agent.must('f.write', [path, '', 'absent', 1], Buffer.from(name, 'latin1'));
      const read = await agent.must('f.read', [path, 1000]);
      expect(read.body.toString('latin1')).toBe(name);
      expect((await agent.must('f.real', [path])).fields).toEqual([path]);
      const handle = (await agent.must('f.begin', [path, 0])).fields[0] ?? '';
      await agent.must('f.put', [handle, 0], Buffer.from('second'));
      await agent.must('f.commit', [handle, '', 'any', hashOf(Buffer.from('second'))]);
    }
    const list = await agent.must('f.list', [at('odd'), 1]);
    expect(tableOf(list.body).map((line) => line[1])).toEqual([...odd].sort());
    for (const name of odd) await agent.must('f.remove', [`${bytesOf(top)}/odd/${name}`, 0]);
    await agent.must('f.remove', [at('odd'), 0]);
  });

  it('makes directories and links, removes links and not what they point to', async () => {
    await agent.must('f.mkdir', [at('made/deep/er')]);
    await agent.must('f.mkdir', [at('made/deep/er')]);
    await writeFile(at('made/deep/keep'), 'x');
    await agent.must('f.link', [at('made/deep'), at('made/link')]);
    await agent.must('f.link', ['deep', at('made/link')]);
    expect(await readlink(at('made/link'))).toBe('deep');
    await mkdir(at('made/other'));
    await symlink('../deep', at('made/other/in'));
    await agent.must('f.remove', [at('made/other'), 1]);
    await agent.must('f.remove', [at('made/link'), 1]);
    expect(await readdir(at('made/deep'))).toContain('keep');
  });

  it('runs scripts: output, code, time, cancel, size', async () => {
    const text =
      'echo "$GIVEN"; pwd; echo err >&2; read x; echo "<$x>"; test -z "$SSH_AUTH_SOCK" && echo none; exit 3';
    const ran = await agent.must('exec', [top, 5000, 'GIVEN=a b'], Buffer.from(text));
    expect(ran.fields).toEqual(['3', '0']);
    expect(ran.body.toString()).toBe(`a b\n${top}\nerr\n<>\nnone\n`);
    expect((await agent.must('exec', [top, 5000], Buffer.from('kill -9 $$'))).fields).toEqual(['137', '0']);
    expect(await code('exec', [at('absent'), 5000], Buffer.from('true'))).toBe('cwd_missing');
    expect(await code('exec', [top, 5000, 'A'], Buffer.from('true'))).toBe('bad_request');
    const slow = await agent.must('exec', [top, 300], Buffer.from('echo begun; sleep 777 & sleep 778'));
    expect([slow.fields[0], slow.body.toString()]).toEqual(['', 'begun\n']);
    const flood = await agent.must('exec', [top, 20_000], Buffer.from('head -c 3000000 /dev/zero; exit 4'));
    expect([...flood.fields, flood.body.length]).toEqual(['4', '1', mebi]);
    const long = Buffer.from(`x=${'y'.repeat(300_000)}\nread z\necho \${#x} "<$z>"\n`);
    expect((await agent.must('exec', [top, 5000], long)).body.toString()).toBe('300000 <>\n');
    // What it leaves behind holds nobody up.
    const left = await agent.must('exec', [top, 20_000], Buffer.from('sleep 779 & echo $!'));
    process.kill(Number(left.body.toString()), 'SIGKILL');
    const id = agent.nextId();
    const waiting = agent.askAs(id, 'exec', [top, 60_000], Buffer.from(`echo > ${at('began')}; sleep 780`));
    await eventually(
      'it has begun',
      async () => (await code('f.stat', [at('began')])) === 'ok' && stat(at('began')).catch(() => undefined),
    );
    await agent.must('cancel', [id]);
    expect((await waiting).fields[0]).toBe('cancelled');
    await eventually('what it started is gone', async () => {
      const { stdout } = await run('ps', ['-eo', 'args']);
      return !/^sleep 7(77|78|80)$/m.test(stdout);
    });
    const several = Array.from({ length: 20 }, (_, i) =>
      agent.must('exec', [top, 20_000], Buffer.from(`echo ${i}`)),
    );
    expect((await Promise.all(several)).map((each) => Number(each.body.toString()))).toEqual([
      ...Array(20).keys(),
    ]);
  });
});
