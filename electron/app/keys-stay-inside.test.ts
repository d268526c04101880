import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportDataset } from '../dataset/export-dataset';
import { SecretScanner } from '../secrets/scanner';
import { testAppInfo } from '../testing/app-info';
import { EndpointsStand } from '../testing/endpoints-stand';
import { writeDiagnostics } from './diagnostics';
import { KeyStore } from './key-store';
import { openLog } from './log';

const secret = 'sk-planted-0123456789abcdef';
const theirs = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-inside-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function filesWith(text: string, below: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(below, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.path, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

it('a key is sent to its endpoint and stands nowhere else: not in log, workspace, export or diagnostics', async () => {
  const keys = new KeyStore({
    folder,
    env: {},
    system: { available: () => false, seal: () => Buffer.alloc(0), open: () => '' },
    originOf: () => '',
  });
  await keys.set('Model', secret, 'https://model.example');
  await keys.unlock('a long passphrase');
  const scanner = new SecretScanner(() => keys.values());
  const log = openLog(folder, scanner);
  // An endpoint that repeats the key in its refusals, as some do.
  const echo = JSON.stringify({ error: { message: `Incorrect API key provided: ${secret}.` } });
  const stand = await EndpointsStand.open({
    Model: {
      policy: ({ index }) =>
        index === 0
          ? { fault: { kind: 'status', status: 401, body: echo } }
          : { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] },
    },
  });
  try {
    stand.keys.set('Model', secret);
    const run = await stand.start('Model');
    await stand.drive(run);
    const paused = await stand.store.reader.run(run);
    expect(paused).toMatchObject({ state: 'paused', reason: 'model_rejected' });
    expect(JSON.stringify(paused)).not.toContain(secret);
    await stand.drive(run);
    expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished' });
    expect(stand.models.get('Model')?.requests.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${secret}`,
      `Bearer ${secret}`,
    ]);
    log.error('Something failed', { header: `Bearer ${secret}`, errors: stand.errors });
    log.error('A key came back', { encoded: Buffer.from(`key ${secret}`).toString('base64') });
    log.error(`Somebody's key\n${theirs}`);
    await writeDiagnostics(join(folder, 'diagnostics.json'), {
      info: testAppInfo,
      settings: stand.settings,
      runs: await stand.store.reader.runs(),
      logFolder: log.folder,
      scanner,
    });
    await exportDataset(stand.store.reader, {
      format: 'slime',
      out: join(folder, 'export'),
      undecided: 'train',
      preset: 'default',
      signal: new AbortController().signal,
    });
    expect(await readFile(join(folder, 'diagnostics.json'), 'utf8')).toContain('<<secret:known:1>>');
    expect(JSON.parse(await readFile(join(folder, 'diagnostics.json'), 'utf8'))).toHaveProperty('log');
    expect(await filesWith('Something failed', folder)).not.toEqual([]);
    const encoded = Buffer.from(`key ${secret}`).toString('base64').slice(8, -4);
    for (const part of [secret, encoded, theirs.split('\n')[1] ?? ''])
      expect(await filesWith(part, folder)).toEqual([]);
    expect(await filesWith(secret, stand.folder)).toEqual([]);
  } finally {
    await stand.close();
  }
}, 60_000);
