import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { estimateTokens } from '@shared/context/tokens';
import type { RunEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { describe, expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { exportDataset } from './export-dataset';
import { planExport } from './export-plan';
import { importResearchGym } from './importers/researchgym/import-researchgym';
import { variantPlan } from './plan';

const fixtures = join(import.meta.dirname, '../../e2e/fixtures/researchgym');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const request = { format: 'slime' as const, undecided: 'train' as const };

interface Row {
  messages: {
    role: string;
    content: string;
    tool_calls?: { function: { name: string; arguments: string } }[];
  }[];
  tools: { function: { name: string; parameters: { required: string[] } } }[];
  metadata: { kind: string };
}

async function exported(path: string) {
  const store = testStore();
  await importResearchGym(store, author, path, { title: null, task: null, again: false });
  const out = join(temporaryFolder(), 'out');
  await exportDataset(store.reader, { ...request, out });
  const rows = (await readFile(join(out, 'train.jsonl'), 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Row);
  const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as {
    runs: { tools: { from: string; react: string[]; summary?: string[] } }[];
  };
  return { store, rows, manifest };
}

const sizeOf = ({ messages, tools }: Row) =>
  estimateTokens(JSON.stringify(tools)) +
  messages.reduce(
    (sum, { content, tool_calls = [] }) =>
      sum +
      estimateTokens(content) +
      tool_calls.reduce((all, call) => all + estimateTokens(call.function.arguments), 0),
    0,
  );

describe.each(['react-node-real-depth70.json', 'tree-demo'])('the rows of an import (%s)', (name) => {
  it('have a system prompt and the tools its program is known to offer, named in the manifest', async () => {
    const { rows, manifest } = await exported(join(fixtures, name));
    expect(rows.length).toBeGreaterThan(0);
    for (const { messages, tools, metadata } of rows) {
      expect(messages[0]?.role).toBe('system');
      const names = tools.map((tool) => tool.function.name);
      expect(new Set(names).size).toBe(names.length);
      if (metadata.kind === 'summary') {
        expect(names).toEqual(['internal_summarize']);
        continue;
      }
      expect(names).toEqual(manifest.runs[0]?.tools.react);
      const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.name));
      for (const each of called) expect(names).toContain(each);
      expect(names).not.toContain('web_browse');
    }
    expect(manifest.runs[0]?.tools.from).toBe('what researchgym is known to offer');
  });

  it('are as long as all that stands in them, head, carried steps and tools', async () => {
    const { store, rows } = await exported(join(fixtures, name));
    const plan = await planExport(store.reader, request);
    expect(variantPlan(plan).rows).toHaveLength(rows.length);
    for (const [index, { tokens }] of variantPlan(plan).rows.entries()) {
      const row = rows[index];
      expect(tokens).toBeGreaterThanOrEqual(row === undefined ? Number.POSITIVE_INFINITY : sizeOf(row));
    }
  });
});

it('the row of an import holds the messages of its node, one after another', async () => {
  const path = join(fixtures, 'react-node-real-depth70.json');
  const node = JSON.parse(readFileSync(path, 'utf8')) as {
    messages: {
      role: string;
      content: string;
      tool_call: { call_id: string; name: string; arguments: unknown } | null;
      tool_result: { call_id: string; content: string } | null;
    }[];
  };
  const { rows } = await exported(path);
  expect(rows).toHaveLength(1);
  const theirs = node.messages.map(({ role, content, tool_call: call, tool_result: result }) => {
    if (result !== null) return { role, id: result.call_id, content: result.content };
    return call === null ? { role, content } : { role, content, id: call.call_id, name: call.name };
  });
  const ours = rows[0]?.messages.map((message) => {
    const {
      role,
      content,
      tool_calls: [call] = [],
      tool_call_id,
    } = message as typeof message & {
      tool_call_id?: string;
      tool_calls?: { id: string; function: { name: string } }[];
    };
    if (tool_call_id !== undefined) return { role, id: tool_call_id, content };
    return call === undefined ? { role, content } : { role, content, id: call.id, name: call.function.name };
  });
  expect(ours?.slice(0, theirs.length)).toEqual(theirs);
  // The node's own answer and what it brought back.
  expect(ours?.slice(theirs.length).map(({ role }) => role)).toEqual(['assistant', 'tool']);
});

it('the limit of the paper holds for an import whose head alone is too long', async () => {
  const node = JSON.parse(readFileSync(join(fixtures, 'react-node-real-depth70.json'), 'utf8'));
  node.messages[1].content += ' and so on'.repeat(60_000);
  const path = join(temporaryFolder(), 'react_long.json');
  writeFileSync(path, JSON.stringify(node));
  const store = testStore();
  await importResearchGym(store, author, path, { title: null, task: null, again: false });
  const plan = await planExport(store.reader, { ...request, preset: 'apollo' });
  expect(variantPlan(plan).dropped).toContainEqual({ reason: 'over_context', count: 1 });
  expect(variantPlan(plan).rows).toEqual([]);
});

describe('an import of a program that nobody knows', () => {
  const run = '01KRVN00000000000000000001';
  const script = new RunScript(run).startSegment();
  script.answer([{ name: 'think', args: { thought: 'hm' } }]).summarise();
  script.answer([{ name: 'think', args: { thought: 'well' } }]);
  const [created, ...rest] = script.events.map((event): RunEvent => {
    if (event.kind === 'segment.started' || event.kind === 'summary.started')
      return { ...event, body: { ...event.body, tools: [] } } as RunEvent;
    return event;
  });
  if (created === undefined) throw new Error('no event');
  const imported = {
    ...created,
    kind: 'run.imported',
    body: { format: 'other', tool: 'Other', files: [], left: [], unknown: {} },
  } as RunEvent;
  const events = [created, imported, ...rest].map((event, index) => ({ ...event, seq: index + 1 }));
  const reader = new MemoryReader(new Map([[run, events]]), []);

  it('is refused with its rows counted, and exported without tools where that is waived by name', async () => {
    const out = join(temporaryFolder(), 'out');
    const refusal = exportDataset(reader, { ...request, out });
    await expect(refusal).rejects.toMatchObject({ code: 'export_no_tools', detail: `${run}: 3 rows` });
    await expect(refusal).rejects.toThrow('--no-tools allow');
    const result = await exportDataset(reader, { ...request, out, noTools: 'allow' });
    expect(result.rows).toBe(3);
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.waiver.no_tools).toEqual([{ run, rows: 3 }]);
    expect(manifest.runs[0].tools).toEqual({ from: 'none' });
  });
});
