import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inside } from './inside';
import { remove, removeFile } from './remove';

let base: string;
let home: string;
let root: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'remove-'));
  home = join(base, 'home');
  root = join(base, 'workspace');
  mkdirSync(home);
  mkdirSync(root);
  writeFileSync(join(home, 'thesis.txt'), 'years of work');
});

afterEach(() => rmSync(base, { recursive: true }));

const untouched = () => expect(readdirSync(home)).toEqual(['thesis.txt']);

describe('deleting', () => {
  it('takes a folder with all that is in it, and is content where nothing is', async () => {
    mkdirSync(join(root, 'runs', 'a', 'deep'), { recursive: true });
    writeFileSync(join(root, 'runs', 'a', 'deep', 'file'), '');
    writeFileSync(Buffer.concat([Buffer.from(join(root, 'runs', 'a', 'n')), Buffer.from([0xff, 0xfe])]), '');
    writeFileSync(join(root, 'runs', 'other'), '');
    await remove(root, ['runs', 'a']);
    await remove(root, ['runs', 'a']);
    await remove(root, ['gone', 'a', 'b']);
    expect(readdirSync(join(root, 'runs'))).toEqual(['other']);
    removeFile(root, 'runs', 'other');
    removeFile(root, 'runs', 'other');
    expect(readdirSync(join(root, 'runs'))).toEqual([]);
  });

  it.each([
    [['..', 'home']],
    [['runs', '../../home']],
    [['/']],
    [['']],
    [['.']],
    [[]],
    [['runs', 'a\0b']],
    [['..\\home']],
  ])('refuses names that lead elsewhere: %j', async (names) => {
    await expect(remove(root, names)).rejects.toMatchObject({ code: 'workspace_corrupt' });
    expect(() => removeFile(root, ...names)).toThrow(/not a valid name/);
    untouched();
  });

  it('refuses a link on the way, and takes a link at the end for itself', async () => {
    symlinkSync(base, join(root, 'runs'));
    await expect(remove(root, ['runs', 'home'])).rejects.toMatchObject({ code: 'refused' });
    expect(() => removeFile(root, 'runs', 'home', 'thesis.txt')).toThrow(/not a folder/);
    await expect(remove(root, ['runs'], { kind: 'folder' })).rejects.toThrow(/a link/);
    untouched();
    await remove(root, ['runs']);
    expect(existsSync(join(root, 'runs'))).toBe(false);
    untouched();
  });

  it('leaves what links inside point at', async () => {
    mkdirSync(join(root, 'a'));
    symlinkSync(home, join(root, 'a', 'link'));
    await remove(root, ['a']);
    expect(existsSync(join(root, 'a'))).toBe(false);
    untouched();
  });

  it('says so where a file stands for a folder, or a folder for a file', async () => {
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'file'), '');
    await expect(remove(root, ['folder'], { kind: 'file' })).rejects.toThrow(/a folder/);
    await expect(remove(root, ['file'], { kind: 'folder' })).rejects.toThrow(/not a folder/);
    expect(readdirSync(root)).toEqual(['file', 'folder']);
  });

  it.runIf(process.getuid?.() === 0)("leaves another user's entry where others may write", async () => {
    mkdirSync(join(root, 'theirs'));
    writeFileSync(join(root, 'theirs', 'file'), '');
    chownSync(join(root, 'theirs'), 12_345, 12_345);
    await expect(remove(root, ['theirs'], { owned: true })).rejects.toThrow(/another user/);
    expect(readdirSync(join(root, 'theirs'))).toEqual(['file']);
    await remove(root, ['theirs']);
    expect(readdirSync(root)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
    'leaves what is mounted inside',
    async () => {
      mkdirSync(join(root, 'a', 'mounted'), { recursive: true });
      try {
        execFileSync('mount', ['-t', 'tmpfs', 'none', join(root, 'a', 'mounted')], { stdio: 'ignore' });
      } catch {
        return; // no mounts in this container: nothing to try
      }
      try {
        writeFileSync(join(root, 'a', 'mounted', 'file'), '');
        await expect(remove(root, ['a'])).rejects.toThrow(/mounted/);
        expect(readdirSync(join(root, 'a', 'mounted'))).toEqual(['file']);
      } finally {
        execFileSync('umount', [join(root, 'a', 'mounted')]);
      }
    },
  );

  it('holds on to the folder while somebody exchanges it for a link', async () => {
    // The exchange happens while a large folder goes: at every turn, the folder's name leads home.
    const names = Array.from({ length: 1_000 }, (_, index) => `file-${String(index).padStart(4, '0')}`);
    mkdirSync(join(root, 'a', 'inner'), { recursive: true });
    for (const name of names) writeFileSync(join(root, 'a', 'inner', name), '');
    for (const name of names.slice(500)) writeFileSync(join(home, name), '');
    const going = remove(root, ['a', 'inner']);
    renameSync(join(root, 'a', 'inner'), join(root, 'a', 'away'));
    symlinkSync(home, join(root, 'a', 'inner'));
    await going.catch(() => undefined);
    expect(readdirSync(home).length).toBe(501);
  });
});

describe('a path below a folder', () => {
  it('is built of plain names, through no link', () => {
    expect(inside(root, 'runs', 'a')).toBe(join(root, 'runs', 'a'));
    expect(() => inside(root, '..')).toThrow(/not a valid name/);
    expect(() => inside(root, 'a/b')).toThrow(/not a valid name/);
    symlinkSync(home, join(root, 'link'));
    expect(() => inside(root, 'link', 'thesis.txt')).toThrow(/is a link/);
    symlinkSync(root, join(base, 'shortcut'));
    expect(inside(join(base, 'shortcut'), 'runs')).toBe(join(base, 'shortcut', 'runs'));
  });
});
