import { type AnnotationOp, type Author, judgeAuthor } from '@shared/log/annotations';
import type { WriterCore } from '../store/commands/writer-core';
import type { Chance } from './realistic-run-texts';
import type { StampQueue } from './stamp-queue';

export const reviewer: Author = { uuid: '6f1c1f0a-3333-4333-8333-333333333333', name: 'Rosa' };
const second: Author = { uuid: '6f1c1f0a-4444-4444-8444-444444444444', name: 'Wei' };

interface Reviewed {
  run: string;
  steps: number;
  chance: Chance;
  clock: StampQueue;
  at: number;
}

const reasons = ['ineffective', 'already_done', 'blind_edit', 'wrong_tool', null];
const IN_FLIGHT = 200;

/**
 * What two people and two judges say: Rosa decides on one step in thirty and on a range in every few hundred, Wei on a third of
 * what Rosa saw and differs in one case of eight; a judge votes on one step in ten, a second judge on a fifth of those; now and
 * then a flag or a comment.
 */
export async function annotateRealistically(
  writer: WriterCore['annotations'],
  { run, steps, chance, clock, at }: Reviewed,
): Promise<void> {
  let time = at;
  const open: Promise<unknown>[] = [];
  const say = async (author: Author, from: number, to: number, op: AnnotationOp) => {
    time += 900;
    clock.add(time);
    open.push(writer.annotate(author, { run, from, to }, op, chance.ulid(time)));
    if (open.length >= IN_FLIGHT) await Promise.all(open.splice(0));
  };
  const value = () => (chance.is(0.6) ? ('train' as const) : ('mask' as const));
  for (let step = 1; step <= steps; step += 1) {
    if (chance.is(1 / 10)) {
      await say(judgeAuthor('glm-judge'), step, step, vote(chance, step));
      if (chance.is(1 / 5)) await say(judgeAuthor('qwen-judge'), step, step, vote(chance, step));
    }
    if (chance.is(1 / 30)) {
      const said = value();
      await say(reviewer, step, step, { op: 'label', value: said, reason: chance.pick(reasons) });
      if (chance.is(1 / 3)) {
        const other = chance.is(1 / 8) ? (said === 'train' ? 'mask' : 'train') : said;
        await say(second, step, step, { op: 'label', value: other, reason: null });
      }
    }
    if (chance.is(1 / 400)) {
      const to = Math.min(steps, step + chance.between(5, 60));
      await say(reviewer, step, to, { op: 'label', value: value(), reason: null });
    }
    if (chance.is(1 / 500)) await say(second, step, step, { op: 'flag', on: true });
    if (chance.is(1 / 700))
      await say(reviewer, step, step, { op: 'comment', text: 'Why not look at the log first?' });
  }
  await Promise.all(open);
}

function vote(chance: Chance, step: number): AnnotationOp {
  return {
    op: 'judge',
    value: chance.is(0.25) ? 'mask' : 'keep',
    confidence: Math.round(chance.random() * 100) / 100,
    reason: chance.pick(['ineffective', 'contradiction', 'debugging']),
    why: 'It repeats what the step before it showed.',
    steps: step > 1 ? [step - 1] : [],
    rubric: 'appendix-e/1',
  };
}
