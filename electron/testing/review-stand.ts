import { type StepRange, targetOf } from '@shared/contract/step-range';
import { type AnnotationOp, type Author, judgeAuthor } from '@shared/log/annotations';
import { ulid } from 'ulid';
import type { Store } from '../store/api';
import { alice, createRun, RunWriter } from './run-writer';

/** A run of `steps` commands; those listed in `failed` end with exit code 1, which a soft rule masks. */
export async function runOf(store: Store, steps: number, failed: readonly number[] = []): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= steps; step += 1) {
    await writer.command(`echo ${step}`, `said ${step}`, { exitCode: failed.includes(step) ? 1 : 0 });
  }
  await store.drain();
  return run;
}

/** What people and judges do to runs of a store. */
export class Reviewers {
  constructor(private readonly store: Store) {}

  async label(who: Author, run: string, steps: number | [number, number], value: 'train' | 'mask' | 'clear') {
    const [from, to] = typeof steps === 'number' ? [steps, steps] : steps;
    return this.store.writer.annotate(who, { run, from, to }, { op: 'label', value, reason: null });
  }

  async say(who: Author, run: string, step: number, op: AnnotationOp) {
    return this.store.writer.annotate(who, { run, from: step, to: step }, op);
  }

  judge(judge: string, run: string, step: number, value: 'mask' | 'keep', confidence: number | null = 0.9) {
    return this.say(judgeAuthor(judge), run, step, {
      op: 'judge',
      value,
      confidence,
      reason: 'eval-timing',
      why: 'It says so.',
      steps: [],
      rubric: 'r1',
    });
  }

  async assign(
    to: Author,
    run: string,
    parts: StepRange[],
    options: { blind?: boolean; batch?: string } = {},
  ) {
    const target = targetOf(run, parts);
    if (target === null) throw new Error('No step was named.');
    const { blind = false, batch = ulid() } = options;
    return this.store.writer.annotate(alice, target, { op: 'assign', batch, to, blind, on: true });
  }
}
