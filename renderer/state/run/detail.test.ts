import type { StepDetail } from '@shared/contract/views';
import { expect, test } from 'vitest';
import { BridgeStand, settled } from '../bridge-fixtures';
import { loadDetail, useDetails } from './detail';
import { stepHead } from './step-fixtures';

function detail(step: number, characters: number): StepDetail {
  const none = { judges: [], corrections: [], comments: [], assigned: [], withheld: false };
  return {
    head: stepHead(step),
    text: 'x'.repeat(characters),
    reasoning: '',
    usage: null,
    cost: null,
    durationMs: 1,
    model: 'm',
    observations: [],
    shortened: [],
    taught: null,
    hintText: null,
    files: [],
    scoreThen: null,
    offsets: {},
    imported: null,
    labels: {
      effective: { value: null, source: null, reason: null, disagreement: false },
      why: { code: 'no_label', params: {} },
      humans: [],
      rules: [],
      history: [],
      ...none,
    },
  };
}

test('details are kept by number and by how much text they hold; the newest always is', async () => {
  const size = { characters: 10 };
  new BridgeStand({ 'step.detail': ({ step }: { step: number }) => detail(step, size.characters) });
  const load = async (step: number) => {
    loadDetail('run', step);
    await settled();
  };
  for (let step = 1; step <= 40; step += 1) await load(step);
  const kept = () => [...useDetails.getState().details.values()].map(({ head }) => head.step);
  expect(kept()).toEqual(Array.from({ length: 32 }, (_, index) => index + 9));
  size.characters = 10 * 1024 * 1024;
  await load(41);
  await load(42);
  expect(kept()).toEqual([42]);
});
