import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ImportProgress } from '@shared/contract/ipc/imports';
import { expect, inject, it, vi } from 'vitest';
import { importHandlers } from '../../commands/imports';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { WorkbenchHolder } from '../../workbench';
import { readApart } from './import-thread';
import type { LogPart } from './read-log';
import { importResearchGym } from './researchgym/import-researchgym';
import { readGymRun } from './researchgym/read-run';

const node = join(import.meta.dirname, '../../../e2e/fixtures/researchgym/react-node-real-depth70.json');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const once = { title: null, task: null, again: false };
const none = { title: null, task: null };
const apart = () => readApart(inject('storeWorkers'));

/** A tree of so many steps, each with a text of its own. */
function largeTree(steps: number, characters: number): string {
  const folder = join(temporaryFolder(), 'tree');
  mkdirSync(folder);
  const nodes = Array.from({ length: steps }, (_, index) => ({
    id: `n${index}`,
    parent_id: index === 0 ? null : `n${index - 1}`,
    node_type: 'react',
    messages: [{ role: 'user', content: 'Do it.' }],
    response: { content: `${index} ${'x'.repeat(characters)}` },
  }));
  for (const [index, each] of nodes.entries())
    writeFileSync(join(folder, `react_${String(index).padStart(6, '0')}.json`), JSON.stringify(each));
  return folder;
}

async function all(parts: AsyncIterable<LogPart> | Iterable<LogPart>): Promise<LogPart[]> {
  const taken: LogPart[] = [];
  for await (const part of parts) taken.push(part);
  return taken;
}

it('gives what reading in this thread gives', async () => {
  const [here, there] = [
    await readGymRun(node, none, () => undefined),
    await apart()(node, none, () => undefined),
  ];
  const known = ({ fingerprint, title, steps, segments, hints, events, left }: typeof here.head) => ({
    fingerprint,
    title,
    steps,
    segments,
    hints,
    events,
    left,
  });
  expect(known(there.head)).toEqual(known(here.head));
  const kinds = (parts: LogPart[]) =>
    parts.flatMap((part) =>
      'events' in part ? part.events.map(({ kind }) => kind) : [`${part.hints.length} hints`],
    );
  expect(kinds(await all(there.parts))).toEqual(kinds(await all(here.parts)));
  await there.close();
});

it('passes on what was refused, and leaves no thread', async () => {
  const refused = apart()(join(temporaryFolder(), 'none'), none, () => undefined);
  await expect(refused).rejects.toMatchObject({ code: 'not_found' });
});

it('no part is larger than one text, so that whoever stores is never busy with one for long', async () => {
  const { parts, close } = await apart()(largeTree(300, 20_000), none, () => undefined);
  const sizes = (await all(parts)).map((part) => JSON.stringify(part).length);
  expect(Math.max(...sizes)).toBeLessThan(600_000);
  expect(sizes.length).toBeGreaterThan(10);
  await close();
});

it('the thread that answers the window takes no file apart itself', async () => {
  const file = join(temporaryFolder(), 'react_1.json');
  const texts = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(20_000)}`);
  const messages = [{ role: 'user', content: 'Do it.' }];
  const answered = { id: 'n', node_type: 'react', messages, response: { content: 'x' } };
  writeFileSync(file, JSON.stringify({ ...answered, texts }));
  const parse = vi.spyOn(JSON, 'parse');
  const longest = () => Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length));
  await importResearchGym(testStore(), author, file, { ...once, read: apart() });
  const there = longest();
  parse.mockClear();
  await importResearchGym(testStore(), author, file, once);
  expect([there < 4_000_000, longest() > 4_000_000]).toEqual([true, true]);
  parse.mockRestore();
});

it('an import that is cancelled leaves nothing, while it is read and while it is stored', async () => {
  const folder = largeTree(400, 2_000);
  for (const stage of ['reading', 'storing'] as const) {
    const store = testStore();
    const controller = new AbortController();
    const tell = (progress: ImportProgress) => {
      if (progress.stage === stage) controller.abort(new WaymarkError('cancelled', 'Cancelled.'));
    };
    const options = { ...once, read: apart(), tell, signal: controller.signal };
    await expect(importResearchGym(store, author, folder, options)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await store.reader.runs()).toEqual([]);
    const { run } = await importResearchGym(store, author, folder, once);
    expect((await store.reader.run(run)).steps).toBe(400);
  }
});

it('the window hears how far it is, can break it off, and is answered meanwhile', async () => {
  const store = testStore();
  const heard: ImportProgress[] = [];
  const holder = { require: () => ({ store }) } as unknown as WorkbenchHolder;
  const handlers = importHandlers({
    holder,
    author: () => author,
    read: apart(),
    choose: async () => largeTree(400, 2_000),
    publisher: {
      publish: (_, payload) => {
        const progress = payload as ImportProgress;
        heard.push(progress);
        if (progress.stage === 'storing') void handlers['import.cancel'](undefined);
      },
    },
  });
  const started = handlers['import.start']({ format: 'researchgym', what: 'folder', again: false });
  const settled = started.then(
    () => 'ended',
    ({ code }: WaymarkError) => code,
  );
  expect(await Promise.race([store.reader.runs().then(() => 'answered'), settled])).toBe('answered');
  expect(await settled).toBe('cancelled');
  expect(heard[0]).toEqual({ stage: 'reading', files: 0, bytes: 0 });
  expect(await store.reader.runs()).toEqual([]);
  await handlers['import.cancel'](undefined);
});
