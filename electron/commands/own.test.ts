import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { ulid } from 'ulid';
import { expect, onTestFinished, test } from 'vitest';
import { noHosts } from '../runs/start/no-hosts';
import { eventually } from '../testing/deadline';
import { noPane } from '../testing/no-pane';
import { createdBody } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import type { Workbench } from '../workbench';
import { OwnTerminalDesk, ownTerminalHandlers, ownViewHandlers } from './own';

const size = { rows: 24, cols: 80 };

function stand() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-own-desk-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  let bench: Workbench | null = null;
  const holder = {
    require: () => {
      if (bench !== null) return bench;
      throw new WaymarkError('refused', 'No workspace is open. Open or create one first.');
    },
  };
  const desk = new OwnTerminalDesk({
    holder,
    hosts: noHosts(),
    settings: { current: { computers: [] } },
    changed: () => undefined,
    frame: () => undefined,
    resourcesDir: resolve(import.meta.dirname, '../../resources'),
    log: { error: () => undefined },
  });
  const store = testStore();
  return {
    base,
    desk,
    store,
    own: { ...ownTerminalHandlers(desk, holder, noPane), ...ownViewHandlers(desk) },
    open: (name: string) => {
      bench = { folder: join(base, name), store } as unknown as Workbench;
    },
  };
}

test('terminals belong to the workspace that is open, and live on while another one is', async () => {
  const { desk, own, open } = stand();
  await expect(own['own.list'](undefined)).rejects.toMatchObject({ code: 'refused' });
  open('first');
  const { id } = await own['own.open']({ computer: 'local', run: null, ...size });
  const [one, same] = await Promise.all([desk.current(), desk.current()]);
  expect(one).toBe(same);
  open('second');
  expect(await own['own.list'](undefined)).toEqual([]);
  await expect(own['own.write']({ id, bytes: new Uint8Array([10]) })).rejects.toMatchObject({
    code: 'not_found',
  });
  open('first');
  expect(await own['own.list'](undefined)).toMatchObject([{ id, name: 'terminal-1', link: 'good' }]);
  await own['own.close']({ id });
  await desk.dispose();
});

test('a terminal starts where the run works when that is there, else at home', async () => {
  const { base, desk, own, open, store } = stand();
  open('first');
  const startOf = async (run: string): Promise<string> => {
    const { id } = await own['own.open']({ computer: 'local', run, ...size });
    await own['own.write']({ id, bytes: new TextEncoder().encode('echo "at=[$PWD]"\n') });
    const found = await eventually('the terminal says where it is', async () => {
      const { bytes } = await own['own.read']({ id, offset: 0, maxBytes: 100_000 });
      return /at=\[(\/[^\]]*)\]/.exec(Buffer.from(bytes).toString('utf8'))?.[1];
    });
    await own['own.close']({ id });
    return found;
  };
  const runIn = async (workspaceRoot: string): Promise<string> => {
    const run = ulid();
    await store.writer.append(run, 0, [
      { kind: 'run.created', body: { ...createdBody(run), workspaceRoot } },
    ]);
    return run;
  };
  expect(await startOf(await runIn(base))).toBe(base);
  expect(await startOf(await runIn(join(base, 'not there')))).toBe(homedir());
  // A run that was removed meanwhile.
  expect(await startOf(ulid())).toBe(homedir());
  await desk.dispose();
});
