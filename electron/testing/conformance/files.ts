import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Bench, utf8 } from './session-driver';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const limit = { maxBytes: 1_000_000 };

/** The file half of the port. */
export function fileCases(bench: () => Bench): void {
  it('writes, reads and hashes any bytes', async () => {
    const { computer, workdir } = bench();
    const path = join(workdir, 'dir', 'a b 中.bin');
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256);
    await expect(computer.files.write(path, bytes)).rejects.toMatchObject({ reason: 'not_found' });
    expect(await computer.files.write(path, bytes, { mkdirs: true })).toEqual({ sha256: sha256(bytes) });
    const content = await computer.files.read(path, limit);
    expect(Buffer.compare(content.bytes, bytes)).toBe(0);
    expect(content).toMatchObject({ sha256: sha256(bytes), size: 70_000, mode: 0o644 });
    expect(await computer.files.hash(path)).toBe(sha256(bytes));
    const range = await computer.files.readRange(path, 69_990, 100);
    expect([...range.bytes]).toEqual([...bytes.subarray(69_990)]);
    expect(range.size).toBe(70_000);
    expect(
      (await computer.files.list(join(workdir, 'dir'), { hidden: true })).map((entry) => entry.name),
    ).toEqual(['a b 中.bin']);
  });

  it('refuses to write over what it does not expect, and changes nothing then', async () => {
    const { computer, workdir } = bench();
    const path = join(workdir, 'f');
    const { sha256: first } = await computer.files.write(path, utf8('one'), { expectSha256: null });
    await expect(computer.files.write(path, utf8('x'), { expectSha256: null })).rejects.toMatchObject({
      reason: 'conflict',
      code: 'conflict',
    });
    await expect(
      computer.files.write(path, utf8('x'), { expectSha256: sha256(utf8('?')) }),
    ).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(decode((await computer.files.read(path, limit)).bytes)).toBe('one');
    await computer.files.write(path, utf8('two'), { expectSha256: first });
    expect(decode((await computer.files.read(path, limit)).bytes)).toBe('two');
    await computer.files.remove(path);
    await expect(computer.files.write(path, utf8('x'), { expectSha256: first })).rejects.toMatchObject({
      reason: 'conflict',
    });
    expect(await computer.files.list(workdir, { hidden: true })).toEqual([]);
  });

  it('keeps mode, and writes through links without replacing them', async () => {
    const { computer, workdir, setup } = bench();
    await setup.shell(
      `cd '${workdir}' && echo '#!/bin/sh' > run && chmod 751 run && ln -s run link && ln -s missing dangling`,
    );
    await computer.files.write(join(workdir, 'link'), utf8('new\n'));
    await computer.files.write(join(workdir, 'dangling'), utf8('made\n'));
    const shown = await setup.shell(
      `cd '${workdir}' && readlink link && readlink dangling && cat run missing && find run -perm 751`,
    );
    expect(shown).toBe('run\nmissing\nnew\nmade\nrun\n');
    await computer.files.write(join(workdir, 'run'), utf8('x'), { mode: 0o600 });
    expect((await computer.files.stat(join(workdir, 'run')))?.mode).toBe(0o600);
    expect(await computer.files.realpath(join(workdir, 'link'))).toBe(join(workdir, 'run'));
  });

  it('is never seen half written', async () => {
    const { computer, workdir } = bench();
    const path = join(workdir, 'f');
    const big = (character: string) => utf8(character.repeat(300_000));
    await computer.files.write(path, big('a'));
    const writes = (async () => {
      for (let i = 0; i < 20; i += 1) await computer.files.write(path, big(i % 2 ? 'a' : 'b'));
    })();
    const seen = new Set<string>();
    for (let i = 0; i < 40; i += 1) seen.add((await computer.files.read(path, limit)).sha256);
    await writes;
    for (const digest of seen) expect([sha256(big('a')), sha256(big('b'))]).toContain(digest);
  });

  it('names what is wrong with a path', async () => {
    const { computer, workdir, setup } = bench();
    const { files } = computer;
    await setup.shell(`cd '${workdir}' && mkdir d && echo x > d/f && mkfifo pipe && ln -s loop loop`);
    const fail = (promise: Promise<unknown>, reason: string) =>
      expect(promise).rejects.toMatchObject({ reason });
    await fail(files.read(join(workdir, 'none'), limit), 'not_found');
    await fail(files.read(join(workdir, 'd'), limit), 'is_directory');
    await fail(files.write(join(workdir, 'd'), utf8('x')), 'is_directory');
    await fail(files.write(join(workdir, 'pipe'), utf8('x')), 'not_a_file');
    await fail(files.read(join(workdir, 'd', 'f', 'g'), limit), 'not_directory');
    await fail(files.read(join(workdir, 'd', 'f'), { maxBytes: 1 }), 'too_large');
    await fail(files.read(join(workdir, 'loop'), limit), 'invalid_path');
    await fail(files.read('relative', limit), 'invalid_path');
    await fail(files.read(`${workdir}/a\0b`, limit), 'invalid_path');
    await fail(files.list(join(workdir, 'none'), { hidden: true }), 'not_found');
    await fail(files.remove(join(workdir, 'none')), 'not_found');
    await fail(files.remove(join(workdir, 'd')), 'not_empty');
    await fail(files.hash(join(workdir, 'd')), 'is_directory');
    // Root may do everything.
    if ((await setup.shell('id -u')).trim() !== '0') {
      await setup.shell(
        `cd '${workdir}' && echo x > secret && chmod 0 secret && mkdir shut && chmod 500 shut`,
      );
      await fail(files.read(join(workdir, 'secret'), limit), 'permission');
      await fail(files.write(join(workdir, 'shut', 'f'), utf8('x')), 'permission');
    }
    expect(await files.stat(join(workdir, 'none'))).toBeUndefined();
    expect(await files.stat(join(workdir, 'd'))).toMatchObject({ kind: 'directory' });
    await files.remove(join(workdir, 'd'), { recursive: true });
    await files.makeDirectory(join(workdir, 'x', 'y'));
    await files.remove(join(workdir, 'x', 'y'));
    expect(await files.stat(join(workdir, 'x'))).toMatchObject({ kind: 'directory' });
  });

  it('lists and walks in order, within bounds, not through links', async () => {
    const { computer, workdir, setup } = bench();
    await setup.shell(
      `cd '${workdir}' && mkdir -p b/c .hid && echo 12345 > b/c/f && echo x > a && echo x > .dot && ln -s b l && ln -s a m && ln -s no n`,
    );
    expect(await computer.files.list(workdir, { hidden: false })).toEqual([
      { name: 'a', kind: 'file' },
      { name: 'b', kind: 'directory' },
      { name: 'l', kind: 'directory' },
      { name: 'm', kind: 'file' },
      { name: 'n', kind: 'symlink' },
    ]);
    expect(
      (await computer.files.list(workdir, { hidden: true })).map((entry) => entry.name).slice(0, 2),
    ).toEqual(['.dot', '.hid']);
    const { entries, truncated } = await computer.files.walk(workdir, { hidden: false, maxEntries: 100 });
    expect(truncated).toBe(false);
    expect(entries.map((entry) => entry.path.slice(workdir.length + 1))).toEqual([
      'a',
      'b',
      'l',
      'm',
      'n',
      'b/c',
      'b/c/f',
    ]);
    expect(entries.at(-1)).toMatchObject({ kind: 'file', size: 6 });
    expect(await computer.files.walk(workdir, { hidden: true, maxEntries: 3 })).toMatchObject({
      truncated: true,
    });
  });
}
