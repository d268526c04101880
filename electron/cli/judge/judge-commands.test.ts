import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { expect, it } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { labelCommand } from '../label-commands';
import { judgeCommand } from './judge-commands';

it('votes that were brought in are compared with people’s labels, over all runs or those that are named', async () => {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= 4; step += 1) await writer.command('make', 'out', { exitCode: 0 });
  await createRun(store);
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const agreement = async (...words: string[]) => {
    const { json, lines } = await judgeCommand(context, parseArguments(['judge', 'agreement', ...words]));
    return { found: json as JudgeQuality, lines };
  };
  expect((await agreement()).lines).toEqual([
    'No judge has voted yet. Ask one with "judge run", or bring votes in with "label judge RUN FILE.jsonl".',
  ]);

  const file = join(temporaryFolder(), 'votes.jsonl');
  const votes = [1, 2, 3, 4].map((step) => ({
    step,
    judge: 'strict',
    rubric: 'v2',
    ...(step > 2 ? { value: 'mask', reason: 'blind-edit' } : { value: 'keep', confidence: 0.9 }),
  }));
  const first = { step: 3, judge: 'strict', value: 'keep', rubric: 'v1' };
  const earlier = join(temporaryFolder(), 'earlier.jsonl');
  writeFileSync(earlier, JSON.stringify(first));
  await labelCommand(context, parseArguments(['label', 'judge', writer.run, earlier]));
  writeFileSync(file, votes.map((each) => `${JSON.stringify(each)}\n`).join(''));
  await labelCommand(context, parseArguments(['label', 'judge', writer.run, file]));
  for (const [step, value] of [
    [1, 'train'],
    [2, 'mask'],
    [3, 'mask'],
  ] as const) {
    for (const author of [alice, bob]) {
      const target = { run: writer.run, from: step, to: step };
      await store.writer.annotate(author, target, { op: 'label', value, reason: null });
    }
  }

  const { found, lines } = await agreement();
  expect(found.judges).toMatchObject([
    {
      judge: 'strict',
      rubrics: ['v2'],
      votes: 4,
      unparsable: 0,
      accuracy: { value: 2 / 3, n: 3 },
      byReason: [{ reason: 'blind-edit', masked: 2, right: { value: 1, n: 1 } }],
    },
  ]);
  expect(found.people).toMatchObject([{ raw: { value: 1, n: 3 }, kappa: { value: 1 } }]);
  expect(lines).toContain('strict: 4 votes, rubric v2');
  expect(lines.find((line) => line.includes('right about'))).toMatch(
    /67 % \(\d+ to \d+ %, n = 3\) of the steps whose answer is known/,
  );
  // Of the two that it was 90 % sure of, it was right about one.
  expect(found.judges[0]).toMatchObject({ bySureness: [{ from: 0.9, to: 1, right: { value: 0.5, n: 2 } }] });
  expect(lines.some((line) => /calibration error +40 %, the average gap between how sure/.test(line))).toBe(
    true,
  );
  expect(lines.some((line) => /90 % sure +right 50 % \(/.test(line))).toBe(true);
  expect(lines).toContain('strict: rubric v1, then v2, on 1 step');
  expect(lines.some((line) => /changed +1 from KEEP to MASK, 0 from MASK to KEEP/.test(line))).toBe(true);
  expect(lines.some((line) => /of the right masks +found 0 % .* before, 100 % .* after/.test(line))).toBe(
    true,
  );
  expect((await agreement('--run', writer.run)).found).toEqual(found);
});

it('a branch is told of with the steps it inherited, each once however many runs share it', async () => {
  const store = testStore();
  const parent = new RunWriter(store, await createRun(store));
  await parent.start();
  for (let step = 1; step <= 4; step += 1) await parent.command('make', 'out', { exitCode: 0 });
  const branch = await RunWriter.branchOf(store, parent.run, 3);
  await branch.command('make other', 'out', { exitCode: 0 });
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const file = join(temporaryFolder(), 'votes.jsonl');
  const lines = (steps: number[]) =>
    `\ufeff${steps.map((step) => JSON.stringify({ step, judge: ' strict ', value: 'keep' })).join('\n')}`;
  writeFileSync(file, lines([1, 2, 3, 4]));
  for (const run of [parent.run, branch.run])
    await labelCommand(context, parseArguments(['label', 'judge', run, file]));
  const votes = async (...words: string[]) => {
    const { json } = await judgeCommand(context, parseArguments(['judge', 'agreement', ...words]));
    return (json as JudgeQuality).judges.map(({ judge, votes }) => [judge, votes]);
  };
  expect(await votes('--run', branch.run)).toEqual([['strict', 4]]);
  expect(await votes('--run', parent.run)).toEqual([['strict', 4]]);
  expect(await votes()).toEqual([['strict', 5]]);
});

it.each(['a\nb', '\u202eevil', 'a\u001b[31m', '  '])('%j cannot be a judge', async (judge) => {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('make', 'out', { exitCode: 0 });
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const file = join(temporaryFolder(), 'votes.jsonl');
  writeFileSync(file, JSON.stringify({ step: 1, judge, value: 'keep' }));
  const brought = labelCommand(context, parseArguments(['label', 'judge', writer.run, file]));
  await expect(brought).rejects.toThrow(/line 1: judge: (holds|is empty)/);
});

it('another verb is refused with what there is', async () => {
  const context = {} as CliContext;
  await expect(judgeCommand(context, parseArguments(['judge', 'runs']))).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/Write "judge run", "judge estimate" or "judge agreement"/),
  });
});
