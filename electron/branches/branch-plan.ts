import type { BranchPlan, CheckpointView } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import type { StoreReader } from '../store/api';
import { type BranchContext, contextAfter } from './branch-context';

type Reader = Pick<StoreReader, 'events' | 'heads' | 'checkpoints' | 'hints' | 'run'>;

/** A branch that may be made, with the context it would begin with. */
export interface FoundBranch {
  plan: BranchPlan;
  context: BranchContext;
}

/**
 * What a branch after a step would hold. A step that a branch inherited is branched from in the run it was made in.
 * @throws WaymarkError not_found; refused when the step is not over
 */
export async function findBranch(reader: Reader, run: string, step: number): Promise<FoundBranch> {
  const owner = await ownerOf(reader, run, step);
  const context = await contextAfter(reader, owner, step);
  const checkpoint = await checkpointFor(reader, owner, step);
  const numbers = new Map((await reader.hints(owner)).hints.map(({ id, number }) => [id, number]));
  return {
    context,
    plan: {
      run: owner,
      step,
      checkpoint,
      stepsAfter: step - (checkpoint?.step ?? 0),
      hints: context.hints.map((hint) => ({ ...hint, number: numbers.get(hint.id) ?? 0 })),
      contextSteps: context.inherited.length,
      contextTokens: context.context.tokens({ tail: '' }),
      maxCost: context.run.limits?.maxCost ?? null,
      notRestarted: (checkpoint?.sessions ?? []).flatMap(({ computer, session, running }) =>
        running === null ? [] : [{ computer, session, command: running }],
      ),
    },
  };
}

async function ownerOf(reader: Reader, run: string, step: number): Promise<string> {
  const [head] = await reader.heads(run, step, step);
  if (head === undefined || head.id === '') {
    throw new WaymarkError(
      'not_found',
      head?.inheritedFrom == null
        ? `Run ${run} has no step ${step} that is over.`
        : `Step ${step} was made in run ${head.inheritedFrom}, which has been removed: no branch can begin there.`,
    );
  }
  return head.inheritedFrom ?? run;
}

/**
 * The newest copy of the workspace at or before the step. A branch that has none yet has its parent's up to where it left it:
 * that is what its workspace was made from.
 */
async function checkpointFor(reader: Reader, run: string, step: number): Promise<CheckpointView | null> {
  for (let owner = run, last = step; ; ) {
    const own = (await reader.checkpoints(owner)).filter(
      (each) => each.step <= last && each.workspace !== null,
    );
    const newest = own.at(-1);
    if (newest !== undefined) return newest;
    const { parent } = await reader.run(owner);
    if (parent === null || !(await isThere(reader, parent.run))) return null;
    owner = parent.run;
    last = Math.min(last, parent.step);
  }
}

async function isThere(reader: Reader, run: string): Promise<boolean> {
  try {
    await reader.run(run);
    return true;
  } catch (error) {
    if (error instanceof WaymarkError && error.code === 'not_found') return false;
    throw error;
  }
}
