import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { pointsFor, withPenalty } from '@shared/score';
import { durationMs, type TaskSpec } from '@shared/task';
import { z } from 'zod';
import { ComputerUnavailable, FileError } from '../computer/failures';
import type { FileSystemPort } from '../computer/port';
import { remove, removeAt } from '../files/remove';
import { copyInputs, type InputFiles, InputProblem } from './copy-inputs';
import { drivingMachine, type EvaluatingMachine, type EvaluatorOrder } from './evaluating-machine';
import { changedProtected, type ProtectedHashes } from './protected';
import type { ProcessOutcome } from './run-process';
import { PackageChanged, stageEvaluator } from './stage-evaluator';

export interface EvaluationOrder {
  spec: TaskSpec;
  /** The pinned copy of the package on the driver's machine. */
  packageFolder: string;
  /** What the run pinned; a package with another hash is not run. */
  packageHash: string;
  /** No command of the agent can reach the evaluator; goes into the outcome as it is. */
  isolated: boolean;
  /** Files of the computer that holds the workspace, and the workspace's root there. */
  files: InputFiles & Pick<FileSystemPort, 'hash'>;
  root: string;
  /** The run's folder; the evaluation keeps what it saw under `evaluations/`. */
  runFolder: string;
  /** The try this would be, 1-based; null for the forced final evaluation, which is no try. */
  attempt: number | null;
  forced: boolean;
  /** The agent has seen the task hint: its penalty applies. */
  hintSeen: boolean;
  /** Where the evaluator runs; absent: on the driver's machine. */
  machine?: EvaluatingMachine | undefined;
  /** As taken at reset. */
  protectedHashes: ProtectedHashes;
  signal: AbortSignal;
}

/** The body of `evaluation.ended` without its step, and where everything is kept. */
export interface EvaluationOutcome {
  outcome: 'scored' | 'unavailable';
  /** null when no try was spent. */
  attempt: number | null;
  forced: boolean;
  /** Points from 0 to 100 after the penalty; null when unavailable. */
  score: number | null;
  /** The evaluator's own number. */
  raw: number | null;
  metrics: Record<string, unknown>;
  message: string;
  penalty: number;
  protectedChanged: string[];
  isolated: boolean;
  durationMs: number;
  /** Workspace paths that were copied for the evaluator. */
  inputs: string[];
  /** What the evaluator printed, bounded; never shown to the model. */
  log: string;
  /** Folder on the driver's machine with the inputs, the result and the log. */
  folder: string;
}

/** What an evaluator writes to the file named by WAYMARK_RESULT, or prints as its last line. */
const resultSchema = z.object({
  score: z.number(),
  metrics: z.record(z.string(), z.unknown()).default({}),
  message: z.string().default(''),
  /** false: the submission has the wrong form; 0 points, a try is spent (InnovatorBench §3, Evaluations). */
  valid: z.boolean().default(true),
});
type EvaluatorResult = z.infer<typeof resultSchema>;

const MAX_RESULT_BYTES = 1024 * 1024;
const MAX_MESSAGE = 4_000;
/** The evaluator's copy, for as long as it runs. */
const STAGED = 'package';

class Unavailable extends Error {}

/**
 * Copies inputs and evaluator into a fresh folder on the driver's machine, out of the sight of sessions that run in a sandbox,
 * and has the evaluator run, there or on the computer that is set aside for it. Whatever keeps the evaluator from giving a
 * number (a package that is not the pinned one, copy, missing program, time-out, crash, unusable result) is `unavailable` and
 * spends no try. @throws WaymarkError `cancelled`, ComputerUnavailable
 */
export async function evaluate(order: EvaluationOrder): Promise<EvaluationOutcome> {
  const started = performance.now();
  const { spec, root } = order;
  const penalty = taskHintPenalty(spec, order.hintSeen);
  const protectedChanged = await changedProtected(order.files, root, spec.protected, order.protectedHashes);
  const folder = await freshFolder(order.runFolder);
  const outcome: EvaluationOutcome = {
    outcome: 'unavailable',
    attempt: null,
    forced: order.forced,
    score: null,
    raw: null,
    metrics: {},
    message: '',
    penalty,
    protectedChanged,
    isolated: order.isolated,
    durationMs: 0,
    inputs: [],
    log: '',
    folder,
  };
  try {
    const result = await runEvaluator(order, folder, protectedChanged, outcome);
    const points = result.valid ? pointsFor(result.score, spec.evaluation.score) : 0;
    outcome.outcome = 'scored';
    outcome.attempt = order.forced ? null : order.attempt;
    outcome.score = withPenalty(points, penalty);
    outcome.raw = result.score;
    outcome.metrics = result.metrics;
    outcome.message = result.message.slice(0, MAX_MESSAGE);
  } catch (error) {
    if (order.signal.aborted) throw new WaymarkError('cancelled', 'The evaluation was cancelled.');
    // It is made again from the beginning: half an evaluation is no record.
    if (error instanceof ComputerUnavailable) await removeAt(folder, { kind: 'folder' });
    outcome.message = whyUnavailable(error);
  }
  outcome.durationMs = Math.round(performance.now() - started);
  const { log, ...facts } = outcome;
  await writeFile(join(folder, 'outcome.json'), `${JSON.stringify(facts, null, 2)}\n`);
  await writeFile(join(folder, 'evaluator.log'), log);
  return outcome;
}

/** Points taken off each score: the task's penalty once the hint was seen, or given at the start. */
export function taskHintPenalty(spec: TaskSpec, hintSeen: boolean): number {
  return hintSeen || spec.task_hint.mode === 'upfront' ? spec.task_hint.penalty : 0;
}

/** The sentence for an expected obstacle; anything else is a bug and goes on its way. */
function whyUnavailable(error: unknown): string {
  if (error instanceof Unavailable || error instanceof InputProblem || error instanceof PackageChanged)
    return error.message;
  if (error instanceof FileError) return `The inputs could not be copied: ${error.message}`;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOSPC') return 'The disk of the evaluating machine is full. Free space and evaluate again.';
  throw error;
}

async function runEvaluator(
  order: EvaluationOrder,
  folder: string,
  protectedChanged: readonly string[],
  outcome: EvaluationOutcome,
): Promise<EvaluatorResult> {
  const { evaluation } = order.spec;
  const machine = order.machine ?? drivingMachine;
  const missing = await machine.missing(evaluation.needs, order.signal);
  if (missing.length > 0) {
    throw new Unavailable(
      `The evaluating machine lacks ${missing.join(', ')}. Install it and evaluate again.`,
    );
  }
  const inputs = join(folder, 'inputs');
  await mkdir(inputs);
  outcome.inputs = await copyInputs({
    files: order.files,
    root: order.root,
    globs: evaluation.inputs,
    maxBytes: evaluation.max_bytes,
    target: inputs,
    signal: order.signal,
  });
  const changedList = join(folder, 'protected-changed.txt');
  await writeFile(changedList, protectedChanged.map((path) => `${path}\n`).join(''));
  const resultFile = join(folder, 'result.json');
  try {
    const ended = await runOn(machine, {
      command: evaluation.command,
      evaluator: await stageEvaluator({
        packageFolder: order.packageFolder,
        packageHash: order.packageHash,
        evaluation: evaluation.folder,
        target: join(folder, STAGED),
        signal: order.signal,
      }),
      inputs,
      changedList,
      result: resultFile,
      folder,
      timeoutMs: durationMs(evaluation.timeout) ?? 1_800_000,
      signal: order.signal,
    });
    return await judged(ended, outcome, evaluation.timeout, resultFile);
  } finally {
    // The keys are not kept with each evaluation: the package has them.
    await remove(folder, [STAGED], { kind: 'folder' });
  }
}

async function judged(
  ended: ProcessOutcome,
  outcome: EvaluationOutcome,
  timeout: string,
  resultFile: string,
): Promise<EvaluatorResult> {
  outcome.log = ended.output;
  throwUnlessSound(ended, timeout);
  return readResult(resultFile, ended.lastLine);
}

/** What keeps a computer from running the evaluator is no bug; a computer that is away is waited for. */
async function runOn(machine: EvaluatingMachine, order: EvaluatorOrder): Promise<ProcessOutcome> {
  try {
    return await machine.run(order);
  } catch (error) {
    const passes = error instanceof ComputerUnavailable || order.signal.aborted || machine === drivingMachine;
    if (passes) throw error;
    throw new Unavailable(
      `The evaluator could not be run: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function throwUnlessSound(ended: ProcessOutcome, timeout: string): void {
  if (ended.ended === 'timeout')
    throw new Unavailable(`The evaluator was stopped after ${timeout}, its time limit.`);
  if (ended.ended === 'spawn_failed')
    throw new Unavailable(`The evaluator could not be started: ${ended.output}`);
  if (ended.ended === 'signal')
    throw new Unavailable(`The evaluator was ended by ${ended.signal ?? 'a signal'}.`);
  if (ended.exitCode === 0) return;
  const code = ended.exitCode ?? 0;
  const why =
    code === 127 ? ': a program it calls was not found' : code > 128 ? `: ended by signal ${code - 128}` : '';
  throw new Unavailable(`The evaluator ended with exit code ${code}${why}. Its log is kept with the run.`);
}

async function readResult(path: string, lastLine: string): Promise<EvaluatorResult> {
  let text = lastLine;
  const facts = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (facts) {
    if (!facts.isFile() || facts.size > MAX_RESULT_BYTES) {
      throw new Unavailable(`The evaluator's result is no file of at most ${MAX_RESULT_BYTES} bytes.`);
    }
    text = await readFile(path, 'utf8');
  }
  if (text === '') throw new Unavailable('The evaluator gave no result: WAYMARK_RESULT was not written.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Unavailable(`The evaluator's result is not JSON: ${(error as Error).message}`);
  }
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Unavailable(`The evaluator's result is unusable: ${issue?.path.join('.')} ${issue?.message}`);
}

/** `evaluations/001`, `002`, ...: every evaluation keeps its own folder, also an unavailable or repeated one. */
async function freshFolder(runFolder: string): Promise<string> {
  const parent = join(runFolder, 'evaluations');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const taken = (await readdir(parent)).map(Number).filter(Number.isInteger);
  for (let number = Math.max(0, ...taken) + 1; ; number += 1) {
    const folder = join(parent, String(number).padStart(3, '0'));
    try {
      await mkdir(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
