import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FindingView } from '@shared/contract/export-views';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Store } from '../../store/api';
import { openStoreInProcess } from '../../store/threads/in-process';
import { createRun, RunWriter } from '../../testing/run-writer';
import { namedKinds, plant, plantContexts } from '../../testing/secret-plants';
import { seededRandom } from '../../testing/seeded-random';
import { temporaryFolder } from '../../testing/store-fixtures';
import { planExport } from '../export-plan';
import { type DatasetRow, datasetRows } from '../rows';
import { Census, findSecrets, redactorOf } from './findings';
import { redactRow } from './redact-row';
import { refuseFound, rescan } from './rescan';
import type { RedactionSettings } from './settings';

const held = 'Zq3WY7G1J1Ow9PsXwgv6/WFxEn+8XrZu2vvos=';
const github = plant('GitHub token', seededRandom(4)).secret;
const settings: RedactionSettings = {
  level: 'strict',
  secrets: [held],
  names: { users: ['kimberly'], hosts: ['gpu-box7'], homes: [] },
  allowed: [],
};

let folder: string;
let store: Store;
let run: string;
let rows: DatasetRow[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-findings-'));
  store = openStoreInProcess(join(folder, 'workspace'), { workerDir: inject('storeWorkers') });
  run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('cat .env', `KEY=${held}\nls /home/kimberly/x`, {
    thought: `kimberly@gpu-box7:~$ with ${github}`,
  });
  await writer.command('echo 1', `first piece ${held.slice(0, 27)}`, {
    args: { note: JSON.stringify({ token: held }) },
  });
  await writer.command('echo 2', `${held.slice(27)} was the rest`);
  const random = seededRandom(77);
  for (const kind of namedKinds) {
    const texts = Object.entries(plantContexts).map(([, { write }]) => write(plant(kind, random)));
    await writer.command(`echo ${kind}`, texts.join('\n---\n'));
  }
  await writer.record([
    { kind: 'run.status', body: { status: 'finished', reason: 'agent_finished', message: 'Done' } },
  ]);
  const plan = await planExport(store.reader, { undecided: 'train' });
  rows = [];
  for await (const row of datasetRows(store.reader, plan, {})) rows.push(row);
}, 60_000);
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = (row: DatasetRow) => JSON.stringify([row.messages, row.tools]);

describe('findings in the rows of a plan', () => {
  it('are told with rule, place and a name, and never with the secret', async () => {
    const plan = await planExport(store.reader, { undecided: 'train' });
    const view = (await findSecrets(store.reader, plan, { settings })).view();
    expect(view.scannedBytes).toBeGreaterThan(10_000);
    const known = view.findings.find(({ rule }) => rule === 'known');
    expect(known).toMatchObject({
      kind: 'secret',
      placeholder: '<<secret:known:1>>',
      excerpt: '… (38 characters)',
      allowed: false,
      places: expect.arrayContaining([expect.objectContaining({ run, step: 1 })]),
    });
    expect(known?.places.map(({ field }) => field.replace(/\d+/gu, 'N'))).toContain(
      'messages[N].tool_calls[N].arguments',
    );
    expect(view.findings.filter(({ kind }) => kind === 'user')).toMatchObject([
      { placeholder: '<<user:1>>', excerpt: 'kimberly' },
    ]);
    expect(view.findings.filter(({ kind }) => kind === 'host')).toMatchObject([
      { placeholder: '<<host:1>>' },
    ]);
    const told = JSON.stringify(view);
    expect([held, github].filter((secret) => told.includes(secret.slice(6, 20)))).toEqual([]);
    expect(new Set(view.findings.map(({ name }) => name)).size).toBe(view.findings.length);
  });

  it('have the same numbers in whatever order rows come', () => {
    const forward = new Census(settings);
    for (const row of rows) forward.add(row);
    const backward = new Census(settings);
    for (const row of [...rows].reverse())
      backward.add({ ...row, messages: [...row.messages].reverse(), steps: [...row.steps].reverse() });
    const sorted = (census: Census) => [...census.placeholders()].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(backward)).toEqual(sorted(forward));
    expect(forward.placeholders().size).toBeGreaterThan(100);
  });

  it('are gone from the rows; masks, ids, roles and their number are not; arguments stay JSON', () => {
    const census = new Census(settings);
    for (const row of rows) census.add(row);
    const redactor = redactorOf(settings, census);
    for (const row of rows) {
      const clean = redactRow(row, redactor);
      const text = textOf(clean);
      const words = [held, held.slice(0, 27), held.slice(27), github, 'kimberly', 'gpu-box7'];
      expect(words.filter((word) => text.includes(word))).toEqual([]);
      expect(clean.messages.map(({ role }) => role)).toEqual(row.messages.map(({ role }) => role));
      for (const [index, message] of clean.messages.entries()) {
        const before = row.messages[index];
        const { content: _c, ...rest } = message;
        const { content: _b, ...same } = before ?? message;
        expect(Object.keys(rest)).toEqual(Object.keys(same));
        if (message.role === 'tool' && before?.role === 'tool')
          expect(message.tool_call_id).toBe(before.tool_call_id);
        if (message.role !== 'assistant' || before?.role !== 'assistant') continue;
        if ('step_loss_mask' in message && 'step_loss_mask' in before)
          expect(message.step_loss_mask).toBe(before.step_loss_mask);
        for (const [at, call] of (message.tool_calls ?? []).entries()) {
          expect(call.id).toBe(before.tool_calls?.[at]?.id);
          expect(() => JSON.parse(call.function.arguments)).not.toThrow();
        }
      }
      expect(clean.plan.masks).toBe(row.plan.masks);
      expect(redactRow(clean, redactor)).toBe(clean);
    }
    expect(redactor.count).toBeGreaterThan(1_000);
  });

  it('what a person lets stand stays, is told as allowed, and takes nothing else along', () => {
    const all = new Census(settings);
    for (const row of rows) all.add(row);
    const isFirst = ({ rule, places }: FindingView) => rule === 'github' && places[0]?.step === 1;
    const name = all.view().findings.find(isFirst)?.name ?? '';
    const allowing = { ...settings, allowed: [name] };
    const census = new Census(allowing);
    for (const row of rows) census.add(row);
    expect(census.view().findings.find((each) => each.name === name)).toMatchObject({
      allowed: true,
      placeholder: '',
    });
    const redactor = redactorOf(allowing, census);
    const texts = rows.map((row) => textOf(redactRow(row, redactor))).join('');
    expect([texts.includes(github), texts.includes(held)]).toEqual([true, false]);
  });

  it('with names alone secrets stay, and with nothing rows are the same objects', () => {
    for (const level of ['names', 'off'] as const) {
      const census = new Census({ ...settings, level });
      for (const row of rows) census.add(row);
      const redactor = redactorOf({ ...settings, level }, census);
      const texts = rows.map((row) => textOf(redactRow(row, redactor))).join('');
      expect(texts.includes(held)).toBe(true);
      expect(texts.includes('kimberly')).toBe(level === 'off');
      if (level === 'off') expect(rows.every((row) => redactRow(row, redactor) === row)).toBe(true);
    }
  });

  it('a search that is cancelled says so', async () => {
    const plan = await planExport(store.reader, { undecided: 'train' });
    const signal = AbortSignal.abort();
    await expect(findSecrets(store.reader, plan, { settings, signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('the finished files', () => {
  const record = (content: string) => `${JSON.stringify({ messages: [{ role: 'user', content }] })}\n`;

  function folderWith(files: Record<string, string | Buffer>): string {
    const dataset = temporaryFolder();
    mkdirSync(join(dataset, 'data'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dataset, name), text);
    return dataset;
  }

  it('of redacted rows hold nothing', async () => {
    const census = new Census(settings);
    for (const row of rows) census.add(row);
    const redactor = redactorOf(settings, census);
    const lines = rows.map((row) => `${JSON.stringify({ messages: redactRow(row, redactor).messages })}\n`);
    const dataset = folderWith({
      'train.jsonl': lines.join(''),
      'data/a.jsonl.gz': gzipSync(lines.join('')),
    });
    const found = await rescan(dataset, settings);
    expect(found).toEqual({ findings: [], count: 0 });
    expect(() => refuseFound(found)).not.toThrow();
  });

  it.each([
    ['train.jsonl', record('fine') + record(`x ${github}`), 2],
    ['data/train.jsonl.gz', gzipSync(record(JSON.stringify({ a: held }))), 1],
    [
      'train.json',
      `[\n${record('fine').trim()},\n${record(`b ${Buffer.from(held).toString('base64')}`).trim()}\n]\n`,
      1,
    ],
    ['README.md', `# Data\n\n${plant('private key', seededRandom(1)).text}\n`, 1],
  ] as const)('are refused when %s holds something', async (name, text, line) => {
    const found = await rescan(folderWith({ [name]: text, 'LICENSE.txt': 'free' }), settings);
    expect(found.findings).toMatchObject([{ file: name, line }]);
    expect(() => refuseFound(found)).toThrowError(
      new RegExp(`${name.replace('.', '\\.')}, line ${line} .*--allow secret-`, 'u'),
    );
    const allowed = found.findings.map((each) => each.name);
    expect(await rescan(folderWith({ [name]: text }), { ...settings, allowed })).toMatchObject({ count: 0 });
  });

  it('that nothing reads do not pass', async () => {
    const dataset = folderWith({ 'train.parquet': 'PAR1' });
    await expect(rescan(dataset, settings)).rejects.toMatchObject({ code: 'bug' });
    const readers = {
      '.parquet': async function* () {
        yield JSON.stringify([held]);
      },
    };
    expect(await rescan(dataset, settings, { readers })).toMatchObject({
      count: 1,
      findings: [{ file: 'train.parquet', line: 1 }],
    });
  });
});
