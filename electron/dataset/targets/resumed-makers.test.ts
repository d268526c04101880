import { EntryMaker } from '@shared/log/annotation-fixtures';
import type { AnnotationEntry, AnnotationOp } from '@shared/log/annotations';
import { RunScript } from '@shared/runs/run-fixtures';
import { expect, it } from 'vitest';
import { branchOf, plannedRows, runName, scored, votesOn } from '../../testing/planned-rows';
import { dpo } from './dpo';
import { prm } from './prm';
import { rlanythingPolicy } from './rlanything-policy';
import { rlanythingReward } from './rlanything-reward';
import { rm } from './rm';
import { steps, stepsParquet } from './steps';
import type { Target, TargetRecord } from './target';
import { verlRl } from './verl-rl';
import { verlSft } from './verl-sft';

const ran = (command: string) => ({ name: 'run_command', args: { command } });

/** Three runs of a task, two of them branches, with summaries, votes, corrections and masks. */
function world(): [RunScript[], AnnotationEntry[]] {
  const first = new RunScript(runName(1))
    .startSegment()
    .answer([ran('ls')])
    .answer([ran('a')])
    .answer([ran('b')]);
  first.summarise().answer([ran('c')]);
  const second = branchOf(first, 2, runName(2))
    .answer([ran('x')])
    .answer([ran('y'), ran('z')]);
  const third = branchOf(first, 2, runName(3)).answer([ran('w')]);
  scored(first, 10);
  scored(second, 90);
  scored(third, 40);
  const fix = { text: 'So.', call: { name: 'run_command', arguments: '{"command":"q"}' }, note: '' };
  const corrections = [first, second, second].map((script, index) =>
    new EntryMaker(`P${index}`, `p${index}`, script.run).entry(script.step, {
      op: 'correct',
      correction: fix,
    } as AnnotationOp),
  );
  const votes = [first, second, third].flatMap((script, index) =>
    Array.from({ length: script.step }, (_, at) =>
      votesOn(at + 1, ['kmu', 'km', 'kk', 'm'][(at + index) % 4] ?? '', script.run),
    ),
  );
  const masked = new EntryMaker('Ada', 'a', first.run).label(1, 'mask');
  return [
    [first, second, third],
    [...corrections, ...votes.flat(), masked],
  ];
}

const targets: Target[] = [
  dpo,
  rm,
  prm,
  rlanythingPolicy,
  rlanythingReward,
  steps,
  stepsParquet,
  verlSft,
  verlRl,
];

it.each(
  targets.map((target) => [target.format, target] as const),
)('%s: a maker that takes up what another one remembered goes on where that one was', async (_, target) => {
  const planned = await plannedRows(...world());
  const { plan, reader } = planned;
  const rows = planned.rows.filter(
    ({ plan: { kind, masks } }) =>
      target.kinds.includes(kind) && (target.untrained === 'keep' || [...masks.values()].includes(1)),
  );
  const begin = () => target.begin({ plan, reader, variant: 'all', argumentsForm: 'string' });
  const made = async (cuts: readonly number[]) => {
    let maker = await begin();
    const records: TargetRecord[] = [];
    for (const [index, row] of rows.entries()) {
      if (cuts.includes(index)) {
        const saved = structuredClone(maker.save?.());
        expect(saved).not.toBeUndefined();
        maker = await begin();
        maker.restore?.(saved);
      }
      records.push(...maker.records(row));
    }
    for await (const record of maker.rest?.() ?? []) records.push(record);
    return { values: records.map(({ value }) => value), dropped: maker.dropped() };
  };
  const whole = await made([]);
  expect(whole.values.length).toBeGreaterThan(0);
  for (let cut = 0; cut <= rows.length; cut += 1) expect(await made([cut, cut + 1])).toEqual(whole);
});

it('rows of every target say which steps of their row they are about', async () => {
  const { plan, rows, reader } = await plannedRows(...world());
  for (const target of targets) {
    const maker = await target.begin({ plan, reader, variant: 'all', argumentsForm: 'string' });
    for (const row of rows.filter(({ plan: { kind } }) => target.kinds.includes(kind))) {
      const own = row.plan.steps.map(({ step }) => step);
      for (const { steps: about = own } of maker.records(row)) {
        expect(about.length).toBeGreaterThan(0);
        expect(about.filter((step) => !own.includes(step))).toEqual([]);
      }
    }
  }
});
