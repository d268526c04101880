import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { processTable } from '../computer/local/process-table';
import { findIsolation } from '../computer/local/sandbox/bubblewrap';
import { sandboxEnvironment } from '../computer/local/sandbox/local-sandbox';
import { sendSignal } from '../computer/local/session-processes';
import { Unavailable } from './evaluator-result';
import {
  type EvaluatorOrder,
  type EvaluatorSandbox,
  evaluatorSandbox,
  type MachineOrder,
  type SubmissionOrder,
  submissionSandbox,
} from './evaluator-sandbox';
import { missingPrograms, type ProcessOutcome, runProcess } from './run-process';

/** A process that waits for a broken disk, say, is waited for so long, ms. */
const endMs = 10_000;

/** Where evaluators run: the driver's machine, or a computer that no action can name. */
export interface EvaluatingMachine {
  /** Those of `programs` that it lacks. */
  missing(programs: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** Nothing of what it started is there any more when it resolves. */
  runSubmission(order: SubmissionOrder): Promise<ProcessOutcome>;
  /** As `runSubmission`. */
  run(order: EvaluatorOrder): Promise<ProcessOutcome>;
  /** After a submission that no evaluator follows: takes away what lies elsewhere than in the folder. */
  leave?(order: Pick<MachineOrder, 'folder' | 'signal'>): Promise<void>;
}

/** The machine the driver runs on: in a sandbox of the evaluation's own where bubblewrap works, else with the person's rights. */
export const drivingMachine: EvaluatingMachine = {
  missing: missingPrograms,
  async runSubmission(order) {
    const found = await findIsolation();
    if (found.kind !== 'bubblewrap') return runSubmissionBare(order);
    return runInSandbox(await submissionSandbox(found.program, order), order, inputsOf(order));
  },
  async run(order) {
    const found = await findIsolation();
    if (found.kind !== 'bubblewrap') return runBare(order);
    return runInSandbox(await evaluatorSandbox(found.program, order), order, environmentOf(order));
  },
};

async function runInSandbox(
  sandbox: EvaluatorSandbox,
  order: MachineOrder,
  environment: Record<string, string>,
): Promise<ProcessOutcome> {
  const env = sandboxEnvironment(sandbox, environment);
  const { HOME = '/' } = env;
  const ended = await runIn(order, { ...env, TMPDIR: HOME }, sandbox.command());
  return { ...ended, output: [...sandbox.left, ended.output].join('\n') };
}

/** Where the system has no sandbox. */
export async function runBare(order: EvaluatorOrder): Promise<ProcessOutcome> {
  return runUnderName(order, 'home', environmentOf(order));
}

/** The same for what the agent wrote. */
export async function runSubmissionBare(order: SubmissionOrder): Promise<ProcessOutcome> {
  return runUnderName(order, 'run-home', inputsOf(order));
}

/** Without a sandbox what was started is known by a name in its environment; a process that empties its own is not found. */
async function runUnderName(
  order: MachineOrder,
  homeName: string,
  environment: Record<string, string>,
): Promise<ProcessOutcome> {
  const home = join(order.folder, homeName);
  await mkdir(home);
  const name = `evaluation-${randomUUID()}`;
  try {
    const env = { ...environment, HOME: home, TMPDIR: home, WAYMARK_SESSION: name };
    return await runIn(order, env, []);
  } finally {
    await endAll(name);
  }
}

/** Kills what was started under that name until there is nothing more of it. @throws Unavailable */
async function endAll(name: string): Promise<void> {
  const table = processTable();
  const until = performance.now() + endMs;
  for (;;) {
    const rows = await table.all();
    const ours = await Promise.all(
      rows.map(async (row) => row.stat !== 'Z' && (await table.startedIn(row, name))),
    );
    const left = rows.filter((_, index) => ours[index]);
    if (left.length === 0) return;
    if (performance.now() > until) {
      const numbers = left.map(({ pid }) => pid).join(', ');
      throw new Unavailable(
        `The evaluation left processes that cannot be ended (${numbers}). End them and evaluate again.`,
      );
    }
    for (const { pid } of left) sendSignal(pid, 'SIGKILL');
  }
}

const inputsOf = ({ inputs }: MachineOrder) => ({ WAYMARK_INPUTS: inputs });

const environmentOf = (order: EvaluatorOrder) => ({
  ...inputsOf(order),
  WAYMARK_EVALUATOR: order.evaluator,
  WAYMARK_RESULT: order.result,
  WAYMARK_PROTECTED_CHANGED: order.changedList,
});

function runIn(
  { command, inputs, timeoutMs, limit, signal }: MachineOrder,
  env: Record<string, string>,
  within: readonly string[],
): Promise<ProcessOutcome> {
  return runProcess({ command, within, cwd: inputs, env, timeoutMs, limit, signal });
}
