import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { exportDataset } from '../dataset/export-dataset';
import { openStoreInProcess } from '../store/threads/in-process';
import { contexts, planted, writings } from '../testing/planted-secrets';
import { createRun, RunWriter } from '../testing/run-writer';
import { SecretScanner } from './scanner';

const kinds = Object.keys(planted).length;
const plain = Object.entries(contexts);
const known = [...plain, ...Object.entries(writings)];
/** A block of lines is no key that the application holds, stands in no address, and its lines end as other keys do here. */
const fits = (kind: string, context: string) =>
  kind !== 'pem' || !(/address|middle/.test(context) || Object.hasOwn(writings, context));
let folder: string;
/** What an export of a run wrote in which every kind was printed in every context. */
let files: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-exported-'));
  const store = openStoreInProcess(join(folder, 'workspace'), { workerDir: inject('storeWorkers') });
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (const [kind, secret] of Object.entries(planted)) {
    const printed = known.filter(([name]) => fits(kind, name)).map(([, write]) => write(secret));
    await writer.command(`echo ${kind}`, printed.join('\n---\n'));
  }
  await writer.record([
    { kind: 'run.status', body: { status: 'finished', reason: 'agent_finished', message: 'Done' } },
  ]);
  const out = join(folder, 'export');
  await exportDataset(store.reader, {
    ...{ format: 'slime', out, undecided: 'train', preset: 'default' },
    signal: new AbortController().signal,
  });
  await store.close();
  files = await Promise.all((await readdir(out)).map((name) => readFile(join(out, name), 'utf8')));
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How often the end of a key stands in a text. */
const times = (text: string, secret: string) => text.split(secret.slice(-9)).length - 1;

describe('the finished files of an export, scanned', () => {
  it(`${kinds * plain.length} keys of known formats are found in them, at least 95 of 100`, () => {
    const scanner = new SecretScanner();
    const before = files.join('');
    const after = files.map((text) => scanner.redact(text)).join('');
    let seen = 0;
    let missed = 0;
    // An armoured key's end is the same for all of them, and it is broken into lines.
    for (const secret of Object.values(planted).filter((each) => !each.includes('\n'))) {
      seen += times(before, secret);
      missed += times(after, secret);
    }
    expect(seen).toBeGreaterThan(24 * plain.length);
    expect(missed / seen).toBeLessThan(0.05);
  });

  it(`${(kinds - 1) * known.length} keys that the application holds are found in them, all of them`, () => {
    const secrets = Object.values(planted).filter((each) => !each.includes('\n'));
    const scanner = new SecretScanner(() => secrets);
    const after = files.map((text) => scanner.redact(text)).join('');
    const hits = files.flatMap((text) => scanner.find(text)).filter(({ kind }) => kind === 'known');
    expect(hits.length).toBeGreaterThanOrEqual(secrets.length * known.length);
    for (const secret of secrets) {
      expect(times(after, secret)).toBe(0);
      const left = known.filter(([, write]) =>
        after.includes(JSON.stringify(JSON.stringify(write(secret)).slice(1, -1)).slice(1, -1)),
      );
      expect(left.map(([name]) => name)).toEqual([]);
    }
  });
});
