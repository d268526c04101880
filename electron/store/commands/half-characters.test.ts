import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAuthor } from '@shared/log/annotations';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { ANNOTATION_FORMAT, ANNOTATION_FORMAT_VERSION } from '../log/annotation-source';
import { CHAIN_START_LINK, chainLink } from '../log/hashing';

const HALF = 'L\ud800';

test('a name with half of a character is refused where it comes in, from this process and from another log', async () => {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'x');
  const target = { run: writer.run, from: 1, to: 1 };
  const label = { op: 'label' as const, value: 'mask' as const, reason: HALF };
  for (const author of [judgeAuthor(HALF), { uuid: alice.uuid, name: HALF }]) {
    await expect(store.writer.annotate(author, target, label)).rejects.toMatchObject({ code: 'bad_input' });
  }
  const kept = await store.writer.annotate(alice, target, label);
  expect(kept.body).toEqual(label);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  const body = JSON.stringify({
    ...kept,
    ulid: ulid(),
    device: 'else',
    deviceSeq: 1,
    author: judgeAuthor(HALF),
  });
  const lines = [
    { format: ANNOTATION_FORMAT, version: ANNOTATION_FORMAT_VERSION },
    { hash: chainLink(CHAIN_START_LINK, body), body },
    { entries: 1 },
  ];
  const log = join(temporaryFolder(), 'labels.jsonl');
  writeFileSync(log, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  await expect(store.writer.merge(log)).rejects.toThrow(/half of a character/);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});
