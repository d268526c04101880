import { dirname } from 'node:path';
import type { TaskSpec } from '@shared/contract/task';
import type { NewEvent } from '@shared/log/events';
import type { ActionFacts } from '../../actions/action-facts';
import type { EvaluationRequest, EvaluationResult } from '../../actions/task-view';
import type { EvaluationPort } from '../../agent/ports';
import type { Computer } from '../../computer/port';
import { type EvaluationOutcome, evaluate } from '../../task/evaluate';
import type { EvaluatingMachine } from '../../task/evaluating-machine';
import { readProtectedHashes } from '../../task/reset';

export interface EvaluatorDeps {
  spec: TaskSpec;
  /** The pinned copy of the task package. */
  packageFolder: string;
  packageHash: string;
  /** As in `evaluation.ended`. */
  isolated: boolean;
  /** `<workspace>/runs/<run>`. */
  folder: string;
  /** Folders of this machine that the task links to: what the agent's code reads there it may read when it is evaluated. */
  linked: readonly string[];
  /** Where the workspace is, on `holder`. */
  root: string;
  holder: Computer;
  /** The computer set aside for evaluating; absent: the driver's machine. */
  machine: EvaluatingMachine | undefined;
  facts: Pick<ActionFacts, 'hintSeen'>;
}

/** The task's evaluator for the `eval` action and for the forced final evaluation. */
export interface Evaluator extends EvaluationPort {
  try(request: EvaluationRequest): Promise<EvaluationResult>;
}

export function createEvaluator(deps: EvaluatorDeps): Evaluator {
  const order = async (attempt: number | null, hintSeen: boolean, signal: AbortSignal) =>
    evaluate({
      spec: deps.spec,
      packageFolder: deps.packageFolder,
      packageHash: deps.packageHash,
      isolated: deps.isolated,
      files: deps.holder.files,
      root: deps.root,
      runFolder: deps.folder,
      workspace: dirname(dirname(deps.folder)),
      folders: deps.linked,
      attempt,
      forced: attempt === null,
      hintSeen,
      machine: deps.machine,
      protectedHashes: await readProtectedHashes(deps.folder),
      signal,
    });
  return {
    async try({ attempt, hintSeen, signal }) {
      return bodyOf(await order(attempt, hintSeen, signal));
    },
    async final(step, signal): Promise<NewEvent[]> {
      const outcome = await order(null, deps.facts.hintSeen, signal);
      return [{ kind: 'evaluation.ended', body: { ...bodyOf(outcome), step, forced: true } }];
    },
  };
}

/** What is written down; inputs, log and folder stay on disk beside it. */
function bodyOf({ inputs, log, folder, forced, ...body }: EvaluationOutcome): EvaluationResult {
  return body;
}
