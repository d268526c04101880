import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '@shared/log/events';
import { RunScript } from '@shared/runs/run-fixtures';
import { expect, it } from 'vitest';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import { observationData, parseObservation } from '../dataset/importers/researchgym/observation';
import { verdictsOf } from '../testing/rule-run';
import { testStore } from '../testing/store-fixtures';

const fixtures = join(import.meta.dirname, '../../e2e/fixtures/researchgym');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };

it('says of a real node of depth 70 what reading it by hand says', async () => {
  const store = testStore();
  const node = join(fixtures, 'react-node-real-depth70.json');
  const { run } = await importResearchGym(store, author, node, { title: null, task: null, again: false });
  const { seq } = await store.reader.run(run);
  const events: RunEvent[] = [];
  while (events.length < seq) events.push(...(await store.reader.events(run, events.length + 1, 2000)));
  const found = new Map<string, number[]>();
  for (const { step, verdict } of verdictsOf(events)) {
    found.set(verdict.rule, [...(found.get(verdict.rule) ?? []), step]);
  }
  // It edits what it has just read, evaluates what has changed, and every action succeeds: nothing is masked.
  expect(Object.fromEntries(found)).toEqual({
    // Not the sleep of 10 s after `ray start` (2), after a script that prints (19), or after a conversion (55).
    'keep-sleep-while-training': [6, 9, 22, 25, 45, 48, 52, 68],
    'keep-backup': [37, 59],
    // Not the reads of config.yaml again (40, 42, 65).
    'keep-exploration': [4, 11, 14, 15, 16, 28, 29, 30, 33, 36, 38, 57, 63],
  });
});

it('masks of recorded observations the failed actions and nothing else', () => {
  const script = new RunScript('01KREA10000000000000000000', {
    workspaceRoot: '/tmp/research/ws',
  }).startSegment();
  const failed: number[] = [];
  for (const line of readFileSync(join(fixtures, 'observations-transcript.jsonl'), 'utf8')
    .trim()
    .split('\n')) {
    const {
      action,
      args = {},
      tool_content: text,
    } = JSON.parse(line) as {
      action?: string;
      args?: Record<string, string | number | boolean>;
      tool_content?: string;
    };
    const observed = parseObservation(text ?? null);
    if (action === undefined || observed === null) continue;
    const error =
      observed.success === false
        ? { code: 'failed', message: String(observed.error_message ?? '') }
        : undefined;
    const data = observationData(action, args, observed);
    script.answer([{ name: action, args, data, ...(error === undefined ? {} : { error }) }]);
    if (error !== undefined) failed.push(script.step);
  }
  const masks = verdictsOf(script.events).filter(({ verdict }) => verdict.effect === 'mask');
  expect(failed.length).toBeGreaterThan(10);
  expect(masks.filter(({ verdict }) => verdict.rule === 'error-observation').map(({ step }) => step)).toEqual(
    failed,
  );
  // The second of two edits of f.py, with only a refused one between them: nobody looked.
  const others = masks.filter(({ verdict }) => verdict.rule !== 'error-observation');
  expect(others.map(({ verdict }) => verdict.rule)).toEqual(['blind-edit', 'blind-edit-strict']);
});
