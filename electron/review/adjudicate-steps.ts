import { WaymarkError } from '@shared/contract/errors';
import { partsOf } from '@shared/contract/step-range';
import { liftNeedsReason } from '@shared/labels/effective-label';
import type {
  AnnotationEntry,
  AnnotationOp,
  AnnotationTarget,
  Author,
  LabelValue,
} from '@shared/log/annotations';
import type { Store } from '../store/api';
import { parseAnnotation } from '../store/log/parse-annotation';

/**
 * Adjudicates: the last word about steps people or machines differ about. Whoever decides this way is asked for the reason that
 * lifting a hard mask needs, so that no step is left with an adjudication that changes nothing. @throws WaymarkError refused,
 * bad_input when the run has no such steps
 */
export async function adjudicateSteps(
  store: Pick<Store, 'reader' | 'writer'>,
  author: Author,
  target: AnnotationTarget,
  { value, reason }: { value: LabelValue; reason: string | null },
): Promise<AnnotationEntry> {
  const op: AnnotationOp = { op: 'adjudicate', value, reason };
  if (value === 'train' && (reason ?? '').trim() === '') {
    const { steps } = await store.reader.run(target.run);
    await refuseHardMasks(store.reader, parseAnnotation(target, op, steps).target);
  }
  return store.writer.annotate(author, target, op);
}

/** A page of heads. */
const PAGE = 200;

async function refuseHardMasks(
  reader: Pick<Store['reader'], 'heads' | 'step'>,
  target: AnnotationTarget,
): Promise<void> {
  const [first] = await hardMasks(reader, target);
  if (first === undefined) return;
  throw new WaymarkError(
    'refused',
    `Step ${first.step} is masked by ${first.rule}. Lifting that rule takes a reason: give one.`,
  );
}

/** The steps of the target that a hard rule masks, in order: without a reason nobody's TRAIN changes them. */
export async function hardMasks(
  reader: Pick<Store['reader'], 'heads' | 'step'>,
  target: AnnotationTarget,
): Promise<{ step: number; rule: string }[]> {
  const found: { step: number; rule: string }[] = [];
  for (const { from, to } of partsOf(target)) {
    for (let first = from; first <= to; first += PAGE) {
      for (const { step, rules } of await reader.heads(target.run, first, Math.min(to, first + PAGE - 1))) {
        const verdicts = rules.length === 0 ? [] : (await reader.step(target.run, step)).labels.rules;
        const hard = verdicts.find((verdict) => liftNeedsReason([verdict]));
        if (hard !== undefined) found.push({ step, rule: hard.rule });
      }
    }
  }
  return found;
}
