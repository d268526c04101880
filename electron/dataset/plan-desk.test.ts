import { EntryMaker } from '@shared/log/annotation-fixtures';
import { RunScript } from '@shared/runs/run-fixtures';
import { expect, it } from 'vitest';
import { MemoryReader } from '../testing/memory-reader';
import { exportOptions } from './export-request';
import { PlanDesk } from './plan-desk';

const run = '01KRVN00000000000000000001';
const think = { name: 'think', args: { thought: 'hm' } };

/** Two rows of one step each, and how often a run was read. */
function stand() {
  const script = new RunScript(run).startSegment().answer([think]).startSegment().answer([think]);
  const entries = [new EntryMaker('Ada', 'office', run).label([1, 2], 'train')];
  const reader = new MemoryReader(new Map([[run, script.events]]), entries);
  let plans = 0;
  const runs = reader.runs.bind(reader);
  Object.assign(reader, {
    runs: () => {
      plans += 1;
      return runs();
    },
  });
  return { desk: new PlanDesk(reader), plans: () => plans };
}
const options = exportOptions({ variants: ['all', 'unmasked'] });

it('plans once for the counts and every page of rows', async () => {
  const { desk, plans } = stand();
  const { rows, variants, snapshot } = await desk.preview(options);
  expect(rows).toBe(2);
  expect(variants.map(({ variant, dropped }) => [variant, dropped])).toEqual([
    ['all', []],
    ['unmasked', []],
  ]);
  expect(snapshot).toMatch(/^[0-9a-f]{64}$/);
  const first = await desk.rows(options, { variant: 'unmasked', from: 0, limit: 1 });
  const second = await desk.rows(options, { variant: 'unmasked', from: 1, limit: 1 });
  expect([first, second].map(({ rows: page, of }) => [page.map(({ segment }) => segment), of])).toEqual([
    [[1], 2],
    [[2], 2],
  ]);
  expect(await desk.rows(options, { variant: 'all', from: 2, limit: 10 })).toEqual({ rows: [], of: 2 });
  expect(plans()).toBe(1);
});

it('plans anew for other options, and once something has changed', async () => {
  const { desk, plans } = stand();
  await desk.preview(options);
  await desk.preview(exportOptions({ variants: ['all', 'unmasked'], undecided: 'mask' }));
  expect(plans()).toBe(2);
  desk.forget();
  await desk.rows(exportOptions({ undecided: 'mask' }), { variant: 'human', from: 0, limit: 1 });
  expect(plans()).toBe(3);
});

it('keeps no failure', async () => {
  const { desk, plans } = stand();
  const unknown = exportOptions({ runs: ['01KRVN00000000000000000009'] });
  await expect(desk.preview(unknown)).rejects.toMatchObject({ code: 'not_found' });
  await expect(desk.preview(unknown)).rejects.toMatchObject({ code: 'not_found' });
  expect((await desk.preview(options)).rows).toBe(2);
  expect(plans()).toBe(1);
});
