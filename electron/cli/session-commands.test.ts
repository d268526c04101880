import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../store/api';
import { openStoreInProcess } from '../store/threads/in-process';
import { eventually } from '../testing/deadline';
import { createRun } from '../testing/run-writer';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { sessionCommand } from './session-commands';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A workspace with a run and its sessions, and what the command writes. */
async function stand() {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-tail-'));
  const store = openStoreInProcess(folder);
  closing.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => store.close(),
  );
  const run = await createRun(store);
  const written: Uint8Array[] = [];
  const said: string[] = [];
  const context = {
    folder,
    store,
    reader: store.reader,
    terminal: {
      out: () => undefined,
      err: (line: string) => void said.push(line),
      write: async (bytes: Uint8Array) => {
        written.push(bytes.slice());
        return true;
      },
    },
  } as unknown as CliContext;
  const open = (uid: string, session: string, computer = 'box') =>
    store.writer.append(run, 1, [
      { kind: 'session.opened', body: { uid, session, computer, rows: 24, cols: 80 } },
    ]);
  const ends = new Map<string, number>();
  const print = async (uid: string, text: string) => {
    const offset = ends.get(uid) ?? 0;
    const bytes = Buffer.from(text);
    await store.writer.sessionBytes(run, 1, uid, { offset, bytes, receivedAt: 1, hostAt: 1 });
    ends.set(uid, offset + bytes.length);
  };
  const command = (...words: string[]) => sessionCommand(context, parseArguments(['session', ...words]));
  const text = () => Buffer.concat(written).toString();
  return { store, run, open, print, command, text, said, written };
}

/** As a process that drives the run. */
function drive(store: Store, run: string) {
  const lock = store.lockRun(run);
  if (lock === null) throw new Error('The run is driven already.');
  return lock;
}

describe('session tail', () => {
  it('shows all of it, harmless, or the exact bytes', async () => {
    const { run, open, print, command, text, written } = await stand();
    await open('u1', 'main');
    await print('u1', 'one\u001b[31mred\u001b]52;c;secret\u0007\r\ntwo\r\n');
    const { json } = await command('tail', 'main', '--run', run, '--all');
    expect(text()).toBe('one\u001b[31mred\r\ntwo\r\n');
    expect(json).toMatchObject({ run, computer: 'box', session: 'main', uid: 'u1', from: 0, to: 32 });
    written.length = 0;
    await command('tail', 'box:main', '--run', run, '--all', '--raw');
    expect(text()).toContain('\u001b]52;c;secret\u0007');
  });

  it('begins near the end with a whole line', async () => {
    const { run, open, print, command, text } = await stand();
    await open('u1', 'main');
    await print('u1', Array.from({ length: 5_000 }, (_, i) => `line ${i}\r\n`).join(''));
    await command('tail', 'main', '--run', run);
    expect(text()).toMatch(/^line \d+\r\n/);
    expect(text()).toMatch(/line 4999\r\n$/);
    expect(text().length).toBeLessThan(17_000);
  });

  it('follows while the run is driven, until the session ends', async () => {
    const { store, run, open, print, command, text } = await stand();
    await open('u1', 'main');
    await print('u1', 'first\r\n');
    const lock = drive(store, run);
    const following = command('tail', 'main', '--run', run, '--all', '--raw');
    await eventually('the first line is shown', () => text() === 'first\r\n');
    await print('u1', 'second\r\n');
    await eventually('the second line is shown', () => text().endsWith('second\r\n'));
    const body = { uid: 'u1', session: 'main', computer: 'box', exitCode: 0, endOffset: 15 };
    await store.writer.append(run, lock.epoch, [{ kind: 'session.ended', body }]);
    expect((await following).json).toMatchObject({ to: 15 });
    lock.release();
  });

  it('names what was dropped, and means the last life of a name', async () => {
    const { store, run, open, print, command, text, said } = await stand();
    await open('u1', 'main');
    await print('u1', 'old\r\n');
    await store.writer.append(run, 1, [
      {
        kind: 'session.ended',
        body: { uid: 'u1', session: 'main', computer: 'box', exitCode: 0, endOffset: 5 },
      },
    ]);
    await open('u2', 'main');
    await print('u2', 'new\r\n');
    const gap = { uid: 'u2', session: 'main', computer: 'box', from: 5, to: 100, reason: 'limit' as const };
    await store.writer.append(run, 1, [{ kind: 'session.gap', body: gap }]);
    await store.writer.sessionBytes(run, 1, 'u2', {
      offset: 100,
      bytes: Buffer.from('later\r\n'),
      receivedAt: 1,
      hostAt: 1,
    });
    await command('tail', 'main', '--run', run, '--all');
    expect(text()).toBe('new\r\nlater\r\n');
    expect(said).toEqual(['[bytes 5 to 100 were dropped on box]']);
    const listed = await command('list', '--run', run);
    expect(listed.json).toMatchObject({
      sessions: [
        { session: 'main', uid: 'u1', state: 'ended' },
        { session: 'main', uid: 'u2', gaps: [{ from: 5, to: 100 }] },
      ],
    });
  });

  it('asks which of two computers is meant, and names the sessions there are', async () => {
    const { run, open, command } = await stand();
    await open('u1', 'main', 'box');
    await open('u2', 'main', 'big');
    await expect(command('tail', 'main', '--run', run)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('box:main, big:main'),
    });
    await expect(command('tail', 'gone', '--run', run)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('box:main'),
    });
    await expect(command('tail', 'main')).rejects.toMatchObject({ code: 'bad_input' });
  });
});
