import { WaymarkError } from '@shared/contract/errors';
import { partsOf, targetOf } from '@shared/contract/step-range';
import type { AnnotationTarget } from '@shared/log/annotations';
import type { OpenRun } from './run-log';

/**
 * The target cut at branch points, ascending: steps before one belong to the run they were made in, and are labelled there for
 * every branch. Steps of a run that was removed are left out.
 * @param find the run as stored now; null when it was removed
 * @throws WaymarkError not_found when none of the steps is left
 */
export function ownTargets(
  target: AnnotationTarget,
  find: (run: string) => OpenRun | null,
): AnnotationTarget[] {
  const targets: AnnotationTarget[] = [];
  let removed: string | null = null;
  for (let owner = target.run, last = target.to; target.from <= last; ) {
    const run = find(owner);
    if (run === null) {
      removed = owner;
      break;
    }
    const { parent } = run.facts;
    const first = Math.max(target.from, (parent?.step ?? 0) + 1);
    const pieces = partsOf(target)
      .filter(({ from, to }) => from <= last && to >= first)
      .map(({ from, to }) => ({ from: Math.max(from, first), to: Math.min(to, last) }));
    const own = targetOf(owner, pieces);
    if (own !== null) {
      targets.unshift(own);
    }
    if (parent === null) {
      break;
    }
    owner = parent.run;
    last = Math.min(last, parent.step);
  }
  if (targets.length === 0 && removed !== null) {
    const { from, to } = target;
    throw new WaymarkError(
      'not_found',
      `${from === to ? `Step ${from} was` : `Steps ${from} to ${to} were`} made in run ${removed}, which has been removed, so ${from === to ? 'it takes no more labels' : 'they take no more labels'} or comments. Choose steps made later.`,
    );
  }
  return targets;
}
