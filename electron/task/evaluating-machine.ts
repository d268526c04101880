import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { missingPrograms, type ProcessOutcome, runProcess } from './run-process';

/** One run of a task's evaluator. Folders are on the driver's machine. */
export interface EvaluatorOrder {
  /** One line for `sh -c`. */
  command: string;
  /** The evaluator and its keys. */
  evaluator: string;
  /** Fresh; holds what was copied from the workspace. */
  inputs: string;
  /** Lists protected paths that changed, one a line. */
  changedList: string;
  /** Where the result is to be, if the evaluator writes one; may be something else than a plain file. */
  result: string;
  /** Of this evaluation alone; the others are in it. */
  folder: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Where evaluators run: the driver's machine, or a computer that no action can name. */
export interface EvaluatingMachine {
  /** Those of `programs` that it lacks. */
  missing(programs: readonly string[], signal: AbortSignal): Promise<string[]>;
  run(order: EvaluatorOrder): Promise<ProcessOutcome>;
}

/** The machine the driver runs on. */
export const drivingMachine: EvaluatingMachine = {
  missing: missingPrograms,
  async run(order) {
    const home = join(order.folder, 'home');
    await mkdir(home);
    return runProcess({
      command: order.command,
      cwd: order.inputs,
      env: {
        HOME: home,
        TMPDIR: home,
        WAYMARK_EVALUATOR: order.evaluator,
        WAYMARK_INPUTS: order.inputs,
        WAYMARK_RESULT: order.result,
        WAYMARK_PROTECTED_CHANGED: order.changedList,
      },
      timeoutMs: order.timeoutMs,
      signal: order.signal,
    });
  },
};
