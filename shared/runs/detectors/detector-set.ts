import { contention } from './contention';
import type { Detector } from './detector';
import { earlyFinish } from './early-finish';
import { forgottenSession } from './forgotten-session';
import { impatience } from './impatience';
import { repeatedAction } from './repeated-action';
import { templateThought } from './template-thought';

/** A detector whose state is only ever handed back to it. */
export type AnyDetector = Detector<unknown>;

/** The one place where the type of a state is let go of: each state is made, kept and read by the same detector. */
const erased = <S>(detector: Detector<S>) => detector as unknown as AnyDetector;

/** Every detector, in the order of their ids. */
export const detectors: readonly AnyDetector[] = [
  erased(contention),
  erased(earlyFinish),
  erased(forgottenSession),
  erased(impatience),
  erased(repeatedAction),
  erased(templateThought),
];

/** What identifies the findings of the set. */
export const detectorSetVersion = detectors.map(({ id, version }) => `${id}@${version}`).join(' ');
