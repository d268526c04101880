import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@shared/log/events';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../store/api';
import { temporaryFolder, testStore } from '../../../testing/store-fixtures';
import { importResearchGym } from './import-researchgym';
import { livesOf } from './lives';
import { readGymSource } from './source';

const fixtures = join(import.meta.dirname, '../../../../e2e/fixtures/researchgym');
const node = join(fixtures, 'react-node-real-depth70.json');
const tree = join(fixtures, 'tree-demo');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const once = { title: null, task: null, again: false };

async function eventsOf(store: Store, run: string): Promise<RunEvent[]> {
  const { seq } = await store.reader.run(run);
  const events: RunEvent[] = [];
  while (events.length < seq) events.push(...(await store.reader.events(run, events.length + 1, 2000)));
  return events;
}

const bodies = <K extends RunEvent['kind']>(events: readonly RunEvent[], kind: K) =>
  events.flatMap((event) =>
    event.kind === kind ? [event.body as Extract<RunEvent, { kind: K }>['body']] : [],
  );

describe('a real node of depth 70', () => {
  it('is one step for each call of the model, with what came of it', async () => {
    const store = testStore();
    const { run, steps, segments, left } = await importResearchGym(store, author, node, once);
    const events = await eventsOf(store, run);
    const source = JSON.parse(readFileSync(node, 'utf8')) as {
      messages: { role: string; tool_call: unknown }[];
    };
    const calls = source.messages.filter(({ role, tool_call }) => role === 'assistant' && tool_call !== null);
    expect({ steps, segments }).toEqual({ steps: calls.length + 1, segments: 1 });
    expect(left.join(' ')).toContain('91 actions before the first step');
    expect(bodies(events, 'model.answered').map(({ step }) => step)).toEqual(
      Array.from({ length: steps }, (_, index) => index + 1),
    );
    expect(
      bodies(events, 'evaluation.ended').map(({ score, attempt }) => [Math.round(score ?? 0), attempt]),
    ).toEqual(
      bodies(events, 'action.observed')
        .filter(({ name }) => name === 'eval')
        .map(({ text }) => {
          const said = JSON.parse(text) as { overall_score: number; already_eval_num: number };
          return [Math.round(said.overall_score), said.already_eval_num];
        }),
    );
    expect(bodies(events, 'evaluation.ended')).toHaveLength(2);
    const [created] = events;
    const first = await store.reader.step(run, 1);
    expect(first.observations[0]).toMatchObject({
      name: 'run_command',
      data: { session: 'gpu_train', async: true },
    });
    expect(first.head.at).toBeGreaterThanOrEqual(created?.at ?? 0);
    expect(new Date(first.head.at).toISOString()).toBe('2025-09-08T14:27:29.214Z');
    const last = await store.reader.step(run, steps);
    expect(last.usage).toMatchObject({ inputTokens: 95_344, outputTokens: 88 });
    expect(last.imported?.source).toContain('0af1bb00-c19c-4fde-8152-9294d4ea95c1');
    expect(last.imported?.unknown).toMatchObject({
      depth: 70,
      action: { action_type: 'get_session_output' },
    });
    const prompt = await store.reader.prompt(run, 3);
    expect(prompt).toMatchObject({ sha256: '', verified: false });
    expect(prompt.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'tool'],
    ]);
    expect((await store.reader.run(run)).state).toBe('stopped');
    expect((await store.reader.verify([run])).runs[0]?.problems).toEqual([]);
  });

  it('keeps what the model read to the letter', async () => {
    const store = testStore();
    const { run, steps } = await importResearchGym(store, author, node, once);
    const source = JSON.parse(readFileSync(node, 'utf8')) as {
      messages: { role: string; tool_result: { content: string } | null }[];
    };
    const read = source.messages.flatMap(({ tool_result }) =>
      tool_result === null ? [] : [tool_result.content],
    );
    const observed = bodies(await eventsOf(store, run), 'action.observed').map(({ text }) => text);
    expect(observed.slice(0, steps - 1)).toEqual(read);
  });

  it('is searched, filtered and labelled like any run', async () => {
    const store = testStore();
    const { run } = await importResearchGym(store, author, node, once);
    await store.drain();
    expect(
      (await store.reader.search({ run, query: 'llamafactory', from: { step: 0, direction: 1 }, limit: 10 }))
        .total,
    ).toBeGreaterThan(0);
    await store.writer.annotate(
      author,
      { run, from: 2, to: 3 },
      { op: 'label', value: 'mask', reason: null },
    );
    expect((await store.reader.heads(run, 2, 3)).map(({ label }) => label.value)).toEqual(['mask', 'mask']);
  });
});

describe('a tree with summaries', () => {
  it('has one step for each node that a model answered, and duplicates are carried steps', async () => {
    const store = testStore();
    const { run, steps, segments, hints } = await importResearchGym(store, author, tree, once);
    const { nodes } = await readGymSource(tree);
    const asked = nodes.filter(
      ({ source, response, node_type, messages }) =>
        source === 'generate' && response != null && (node_type === 'summary' || (messages ?? []).length > 0),
    );
    expect(steps).toBe(asked.length);
    expect({ segments, hints }).toEqual({ segments: 4, hints: 1 });
    const events = await eventsOf(store, run);
    const answers = bodies(events, 'model.answered');
    expect(answers.filter(({ kind }) => kind === 'summary')).toHaveLength(3);
    expect(answers.filter(({ kind }) => kind === 'think')).toHaveLength(1);
    expect(
      answers
        .filter(({ kind }) => kind === 'null')
        .map(({ calls, invalid }) => [calls.length, invalid[0]?.slice(0, 12)]),
    ).toEqual([
      [0, undefined],
      [1, 'Unknown tool'],
      [1, 'Tool `open_f'],
    ]);
    expect(bodies(events, 'step.imported').filter(({ unknown }) => 'madeUpCall' in unknown)).toMatchObject([
      { step: 6, unknown: { madeUpCall: { name: 'null' } } },
    ]);
    const carried = bodies(events, 'segment.started').map((body) => body.carried ?? null);
    expect(carried[0]).toBeNull();
    expect(carried[1]).toEqual({ from: 8, to: 14 });
    expect((await store.reader.verify([run])).runs[0]?.problems).toEqual([]);
  });

  it('delivers what a person said after the step it followed', async () => {
    const store = testStore();
    const { run } = await importResearchGym(store, author, tree, once);
    const [hint] = bodies(await eventsOf(store, run), 'hint.delivered');
    expect(hint).toMatchObject({ step: 10, text: '<real_user>Please use vLLM</real_user>' });
    expect((await store.reader.hints(run)).hints).toMatchObject([
      { state: 'delivered', text: 'Please use vLLM' },
    ]);
    expect((await store.reader.step(run, 10)).hintText).toContain('Please use vLLM');
  });

  it('names what was made up by the program, and keeps files beside the tree', async () => {
    const store = testStore();
    const { run, left } = await importResearchGym(store, author, tree, once);
    expect(left.filter((line) => line.includes('made up'))).toHaveLength(3);
    const [imported] = bodies(await eventsOf(store, run), 'run.imported');
    expect(Object.keys(imported?.unknown ?? {})).toEqual(
      expect.arrayContaining(['root', 'react_context_manager_params.json']),
    );
  });
});

describe('loose nodes', () => {
  it('read what is missing between them from the prompt of the later one', async () => {
    const folder = temporaryFolder();
    const { nodes } = await readGymSource(tree);
    const chain = nodes.filter(
      ({ source, messages }) => source === 'generate' && (messages ?? []).length > 0,
    );
    for (const content of chain.filter((_, index) => index === 2 || index === 5)) {
      writeFileSync(join(folder, `react_${content.id}.json`), JSON.stringify(content));
    }
    const { lives } = livesOf((await readGymSource(folder)).nodes);
    expect(lives.map(({ own }) => own.length)).toEqual([6]);
    expect(lives[0]?.own.map(({ call }) => call?.id)).toContain('call_1');
  });
});

describe('bad input', () => {
  it('names the file and takes nothing', async () => {
    const store = testStore();
    const folder = temporaryFolder();
    const bad = join(folder, 'react_x.json');
    await expect(importResearchGym(store, author, folder, once)).rejects.toThrow(
      'contains no ResearchGym node',
    );
    writeFileSync(bad, '{"id": "x"');
    await expect(importResearchGym(store, author, bad, once)).rejects.toThrow(
      'react_x.json cannot be imported: it is not JSON',
    );
    // In our words, which are the same in every runtime.
    writeFileSync(bad, '{"id": "x",\n "of": tru}');
    const failure = await importResearchGym(store, author, bad, once).catch(
      (thrown: Error) => thrown.message,
    );
    expect(failure).toMatch(
      /react_x\.json is not JSON: (the text at line 2, character \d+, does not|it holds words or signs that JSON does not know)/,
    );
    expect(failure).not.toMatch(/token|position|Unexpected/);
    writeFileSync(bad, '{"id": "x", "node_type": "odd"}');
    await expect(importResearchGym(store, author, bad, once)).rejects.toThrow('node_type');
    await expect(importResearchGym(store, author, join(folder, 'none'), once)).rejects.toThrow(
      'There is nothing at',
    );
    expect(await store.reader.runs()).toEqual([]);
  });

  it('does not take the same files twice unasked', async () => {
    const store = testStore();
    const { run } = await importResearchGym(store, author, node, once);
    await expect(importResearchGym(store, author, node, once)).rejects.toThrow(run);
    await importResearchGym(store, author, node, { ...once, again: true });
    expect(await store.reader.runs()).toHaveLength(2);
  });
});
