import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { exportDataset } from '../dataset/export-dataset';
import { openStoreInProcess } from '../store/threads/in-process';
import { contexts, planted, writings } from '../testing/planted-secrets';
import { createRun, RunWriter } from '../testing/run-writer';

const kinds = Object.keys(planted).length;
const plain = Object.entries(contexts);
const known = [...plain, ...Object.entries(writings)];
/** A block of lines is no key that the application holds, stands in no address, and its lines end as other keys do here. */
const fits = (kind: string, context: string) =>
  kind !== 'pem' || !(/address|middle/.test(context) || Object.hasOwn(writings, context));
let folder: string;
/** What exports of a run wrote in which every kind was printed in every context: while nothing of it is held, and all of it. */
let files: Record<'off' | 'unknown' | 'held', string>;
const secrets = Object.values(planted).filter((each) => !each.includes('\n'));

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
  const exported = async (name: string, redact: 'off' | 'strict', held: string[]) => {
    const out = join(folder, name);
    const settings = { annotator: { uuid: '', name: '' }, computers: [] };
    await exportDataset(store.reader, {
      format: 'slime',
      out,
      undecided: 'train',
      preset: 'default',
      redact,
      sources: { held, settings },
      signal: new AbortController().signal,
    });
    const names = await readdir(out);
    return (await Promise.all(names.map((each) => readFile(join(out, each), 'utf8')))).join('');
  };
  files = {
    off: await exported('off', 'off', secrets),
    unknown: await exported('unknown', 'strict', []),
    held: await exported('held', 'strict', secrets),
  };
  await store.close();
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How often the end of a key stands in a text. */
const times = (text: string, secret: string) => text.split(secret.slice(-9)).length - 1;

describe('the finished files of an export', () => {
  it(`${kinds * plain.length} keys of known formats are not in them, at least 95 of 100`, () => {
    let [seen, missed] = [0, 0];
    // An armoured key's end is the same for all of them, and it is broken into lines.
    for (const secret of secrets) {
      seen += times(files.off, secret);
      missed += times(files.unknown, secret);
    }
    expect(seen).toBeGreaterThan(24 * plain.length);
    expect(missed / seen).toBeLessThan(0.05);
  });

  it(`${(kinds - 1) * known.length} keys that the application holds are not in them, none of them`, async () => {
    for (const secret of secrets) {
      expect(times(files.held, secret)).toBe(0);
      const left = known.filter(([, write]) =>
        files.held.includes(JSON.stringify(JSON.stringify(write(secret)).slice(1, -1)).slice(1, -1)),
      );
      expect(left.map(([name]) => name)).toEqual([]);
    }
    expect(files.held.split('<<secret:known:').length).toBeGreaterThan(secrets.length * known.length);
    expect(JSON.parse(await readFile(join(folder, 'held', 'manifest.json'), 'utf8'))).toMatchObject({
      redaction: { mode: 'strict', allowed: [] },
    });
  });
});
