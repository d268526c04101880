import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AtomicFile, writeAtomically } from './atomic-file';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-atomic-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = () => readdirSync(folder).sort();

describe('an atomic file', () => {
  it('keeps what was there under its name until it is committed', async () => {
    const path = join(folder, 'state.json');
    writeFileSync(path, 'old');
    const file = await AtomicFile.begin(path);
    await file.handle.writeFile('new');
    await file.flush();
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(names()).toEqual(['state.json']);
  });

  it('leaves nothing behind when it is abandoned, also twice', async () => {
    const file = await AtomicFile.begin(join(folder, 'state.json'));
    await file.handle.writeFile('half');
    await file.abandon();
    await file.abandon();
    expect(names()).toEqual([]);
  });

  it('leaves nothing behind and says why when its name is taken by a folder', async () => {
    mkdirSync(join(folder, 'taken'));
    await expect(writeAtomically(join(folder, 'taken'), 'text')).rejects.toMatchObject({ syscall: 'rename' });
    expect(names()).toEqual(['taken']);
  });

  it('has the mode it was given, whatever the old one was', async () => {
    const path = join(folder, 'secret');
    writeFileSync(path, 'old', { mode: 0o644 });
    await writeAtomically(path, 'new', 0o600);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});
