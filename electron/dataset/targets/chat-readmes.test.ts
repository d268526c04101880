import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { chatTargets, factsOf, type Made, makeRecords } from '../../testing/chat-target-rig';
import { type NastyRows, nastyRows } from '../../testing/nasty-rows';
import type { DataFile, Target, TargetFacts } from './target';

const lint = pathToFileURL(join(import.meta.dirname, '../../../scripts/lint/plain-english.mjs')).href;

let once: NastyRows;
let paper: NastyRows;
let awkwardIn: (text: string) => { line: number; found: string }[];
beforeAll(async () => {
  once = await nastyRows();
  paper = await nastyRows({ preset: 'apollo' });
  ({ awkwardIn } = (await import(/* @vite-ignore */ lint)) as { awkwardIn: typeof awkwardIn });
});

/** Two variants, two sides and two parts, as a large export has them. */
function manyFiles(facts: TargetFacts): TargetFacts {
  const files: DataFile[] = (['all', 'rules'] as const).flatMap((variant) =>
    (['train', 'validation'] as const).map((split) => ({
      path: `${variant}/${split}.jsonl`,
      variant,
      split,
      records: 3,
    })),
  );
  return { ...facts, files };
}

async function madeOf(target: Target, stand: NastyRows): Promise<Made> {
  return makeRecords(target, stand, stand.rows);
}

describe.each(chatTargets)('$target.format', ({ target, expands }) => {
  it('says in its README how to load it, what is left out, in plain English', async () => {
    for (const stand of [once, paper]) {
      const facts = factsOf(target, stand, await madeOf(target, stand));
      for (const each of [facts, manyFiles(facts)]) {
        const text = target.readme(each);
        expect(text).toContain('```');
        expect(text).not.toMatch(/undefined|NaN|\[object|\$\{/);
        expect(awkwardIn(text)).toEqual([]);
        for (const { why, count } of facts.dropped) expect(text).toContain(`- ${why}: ${count}`);
      }
      expect(target.readme(manyFiles(facts))).toContain('`all`, `rules` rest on one label snapshot');
    }
    const facts = factsOf(target, once, await madeOf(target, once));
    expect(/\d+(?:\.\d+)? times as many \(estimates\)/.test(target.readme(facts))).toBe(expands);
  });

  it('names the files of every variant and side in what lies beside the data', async () => {
    const facts = manyFiles(factsOf(target, once, await madeOf(target, once)));
    const extras = target.extras?.(facts) ?? [];
    for (const { path, text } of extras) {
      if (path.endsWith('.jinja')) continue;
      for (const file of facts.files) expect(text).toContain(file.path);
      const list: unknown = path.endsWith('.json') ? JSON.parse(text) : parse(text);
      expect(list).toBeTypeOf('object');
    }
    await expect(extras.map(({ path, text }) => `==> ${path}\n${text}`).join('')).toMatchFileSnapshot(
      `golden/${target.format}.extras.txt`,
    );
  });

  it('trains each step once, and exactly those that count as trained', async () => {
    const { records } = await madeOf(target, once);
    const sources = records.flat().map(({ value }) => sourceOf(value));
    // OpenAI's lines and AgentTraj have no place for where they are from.
    if (sources.every((source) => source === null)) return;
    const trained = sources.flatMap((source) =>
      (source?.steps ?? []).filter(({ mask }) => mask === 1).map(({ step }) => `${source?.run} ${step}`),
    );
    expect(new Set(trained).size).toBe(trained.length);
    const kept = new Set(sources.map((source) => `${source?.run} ${source?.kind} ${source?.segment}`));
    const wanted = once.rows
      .filter(({ plan }) => kept.has(`${plan.run.created.run} ${plan.kind} ${plan.segment.segment}`))
      .flatMap(({ plan }) =>
        [...plan.masks].filter(([, mask]) => mask === 1).map(([step]) => `${plan.run.created.run} ${step}`),
      );
    if (expands) expect(wanted).toEqual(expect.arrayContaining(trained));
    else expect(trained.sort()).toEqual(wanted.sort());
  });

  it('trains carried steps in every row where the paper’s preset says so', async () => {
    const { records } = await madeOf(target, paper);
    const [, , second] = paper.rows;
    const carried = [...(second?.plan.carried ?? [])];
    expect(carried.length).toBeGreaterThan(0);
    const wanted = [...carried, ...(second?.plan.masks ?? [])].filter(([, mask]) => mask === 1).length;
    const own = records[2] ?? [];
    expect(own.reduce((sum, { trained }) => sum + trained, 0)).toBe(wanted);
    for (const { value } of own) expect(target.problems(value)).toEqual([]);
    if (target.format === 'llamafactory-v1')
      expect(records.flat().map(({ part }) => part)).toContain('summary');
  });

  it('finds what its loader would not take as meant', async () => {
    const { records } = await madeOf(target, once);
    const value = records.flat()[0]?.value ?? {};
    expect(target.problems({ ...value, more: 1 }).length).toBeGreaterThan(0);
    expect(target.problems({}).length).toBeGreaterThan(0);
    for (const damaged of damages(value))
      expect([damaged, target.problems(damaged).length > 0]).toEqual([damaged, true]);
  });
});

interface Source {
  run: string;
  kind: string;
  segment: number;
  steps?: { step: number; mask: number }[];
}

function sourceOf(value: Readonly<Record<string, unknown>>): Source | null {
  if (typeof value.metadata === 'string') return JSON.parse(value.metadata) as Source;
  const extra = value.extra as { waymark?: Source } | undefined;
  return extra?.waymark ?? null;
}

/** The record with one list of messages damaged in ways that hold for every format. */
function* damages(value: Readonly<Record<string, unknown>>): Generator<Record<string, unknown>> {
  const key = ['messages', 'conversations', 'prompt', 'steps'].find((each) => Array.isArray(value[each]));
  if (key === undefined) return;
  const list = value[key] as Record<string, unknown>[];
  const at = list.findIndex((message) =>
    Object.values(message).some((field) =>
      ['assistant', 'gpt', 'agent', 'function_call'].includes(String(field)),
    ),
  );
  yield { ...value, [key]: [] };
  yield { ...value, [key]: 'text' };
  yield {
    ...value,
    [key]: list.map((message, index) =>
      index === Math.max(0, at) ? { ...message, surplus: true } : message,
    ),
  };
  yield { ...value, [key]: list.map((message) => ({ ...message, ...halved(message) })) };
}

/** Half a character at the end of whatever text the message has. */
function halved(message: Record<string, unknown>): Record<string, unknown> {
  const key = ['content', 'value', 'message'].find((each) => message[each] !== undefined) ?? 'content';
  const text = message[key];
  return { [key]: Array.isArray(text) ? [{ type: 'text', value: '\ud83d' }] : `${String(text)}\ud83d` };
}
