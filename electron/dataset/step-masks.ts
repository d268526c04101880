import type { ExportVariant } from '@shared/contract/export-request';
import type { StepPlan } from './run-plan';
import { labelIn } from './variant-labels';

/** The step with the label of the variant, and what people wrote where theirs is the label. */
export function stepIn(step: StepPlan, variant: ExportVariant): StepPlan {
  if (variant === 'all') return step;
  const label = labelIn(step, variant);
  const isPersons = label.source === 'human' || label.source === 'adjudication';
  return { ...step, label, given: isPersons ? step.given : null };
}

/** Masks of a row's steps. They follow from the labels, so a plan of a million steps holds none of them. */
export class StepMasks implements ReadonlyMap<number, 0 | 1> {
  /** `steps`: ascending by number. */
  constructor(
    private readonly steps: readonly StepPlan[],
    private readonly maskOf: (step: StepPlan) => 0 | 1,
  ) {}

  get size(): number {
    return this.steps.length;
  }

  get(step: number): 0 | 1 | undefined {
    const found = this.find(step);
    return found === undefined ? undefined : this.maskOf(found);
  }

  has(step: number): boolean {
    return this.find(step) !== undefined;
  }

  forEach(each: (mask: 0 | 1, step: number, masks: ReadonlyMap<number, 0 | 1>) => void): void {
    for (const [step, mask] of this) each(mask, step, this);
  }

  *entries(): Generator<[number, 0 | 1], undefined> {
    for (const step of this.steps) yield [step.step, this.maskOf(step)];
  }

  *keys(): Generator<number, undefined> {
    for (const { step } of this.steps) yield step;
  }

  *values(): Generator<0 | 1, undefined> {
    for (const step of this.steps) yield this.maskOf(step);
  }

  [Symbol.iterator](): Generator<[number, 0 | 1], undefined> {
    return this.entries();
  }

  private find(step: number): StepPlan | undefined {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.steps[middle]?.step ?? 0) < step) low = middle + 1;
      else high = middle;
    }
    const found = this.steps[low];
    return found?.step === step ? found : undefined;
  }
}
