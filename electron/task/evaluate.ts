import type { Dirent } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { durationMs, type TaskSpec } from '@shared/contract/task';
import { pointsFor, withPenalty } from '@shared/runs/scores';
import { ComputerUnavailable, FileError } from '../computer/failures';
import type { FileSystemPort } from '../computer/port';
import { remove, removeAt } from '../files/remove';
import { copyInputs, type InputFiles, InputProblem } from './copy-inputs';
import { drivingMachine, type EvaluatingMachine } from './evaluating-machine';
import { type EvaluatorResult, readResult, Unavailable } from './evaluator-result';
import { SCRATCH_NAMES, type SubmissionOrder } from './evaluator-sandbox';
import { changedProtected, type ProtectedHashes } from './protected';
import type { ProcessOutcome } from './run-process';
import { PackageChanged, stageEvaluator } from './stage-evaluator';
import { sizeOf, WrittenLimit, writtenBelow } from './written-limit';

/** Whether it ended by itself. `what`: for the message. @throws Unavailable */
function throwUnlessWhole(ended: ProcessOutcome, what: string, timeout: string, most: number): void {
  if (ended.ended === 'too_much') {
    throw new Unavailable(
      `${what} was stopped because ${ended.why ?? `it wrote more than ${sizeOf(most)}`}, and what it wrote was removed. evaluation.max_written of the task limits an evaluation to ${sizeOf(most)}: write less, or raise the limit in the task.`,
    );
  }
  if (ended.ended === 'timeout')
    throw new Unavailable(`${what} was stopped after ${timeout}, the time limit of the evaluation.`);
  if (ended.ended === 'spawn_failed') throw new Unavailable(`${what} could not be started: ${ended.output}`);
  if (ended.ended === 'signal') throw new Unavailable(`${what} was ended by ${ended.signal ?? 'a signal'}.`);
}

/** The same for the evaluator, which has to say that it is content. */
function throwUnlessSound(ended: ProcessOutcome, { timeout, max_written }: TaskSpec['evaluation']): void {
  throwUnlessWhole(ended, 'The evaluator', timeout, max_written);
  if (ended.exitCode === 0) return;
  const code = ended.exitCode ?? 0;
  const why =
    code === 127 ? ': a program it calls was not found' : code > 128 ? `: ended by signal ${code - 128}` : '';
  throw new Unavailable(`The evaluator ended with exit code ${code}${why}. Its log is kept with the run.`);
}

/** The first thing below a folder at rest that is neither a regular file nor a folder, in words; undefined when there is none. */
async function oddFile(root: string): Promise<string | undefined> {
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const name = relative(root, folder).slice(-200);
    let entries: Dirent[];
    try {
      entries = await readdir(folder, { withFileTypes: true });
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      return `${name}, which cannot be read (${code})`;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!entry.isFile()) return `${relative(root, path).slice(-200)}, which is ${kindOf(entry)}`;
    }
  }
  return undefined;
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'a link';
  if (entry.isFIFO()) return 'a FIFO';
  return entry.isSocket() ? 'a socket' : 'no regular file';
}

export interface EvaluationOrder {
  /** With the run's own mode of the task hint. */
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
  /** The workspace that the run is in. */
  workspace: string;
  /** Folders of the evaluating machine that the evaluator may read besides those of `evaluation.folders`. */
  folders: readonly string[];
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

const MAX_MESSAGE = 4_000;
/** The evaluator's copy, for as long as it runs. */
const STAGED = 'package';
/** What does not outlive an evaluation: that copy, with the keys, which the package has, and what programs left in their homes and /tmp. */
const SCRATCH = [STAGED, ...SCRATCH_NAMES];
/** An evaluation that gave no score spends no try, and there can be any number of them: inputs that grew by more, bytes, are not kept. */
const KEPT_GROWTH = 1024 ** 2;
/** Of what the agent's program printed, for the agent. */
const SAID = 1_000;

/**
 * Copies inputs and evaluator into a fresh folder on the driver's machine, out of the sight of sessions that run in a sandbox,
 * and has the evaluator run, there (in a sandbox of its own where there is one) or on the computer that is set aside for it. Whatever keeps the evaluator from giving a
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

/** Points taken off each score: the task's penalty once the hint was seen; where it was part of the task only if the task says so. */
function taskHintPenalty({ task_hint }: TaskSpec, hintSeen: boolean): number {
  const counts = task_hint.mode === 'upfront' ? task_hint.penalty_upfront : hintSeen;
  return counts ? task_hint.penalty : 0;
}

/** The sentence for an expected obstacle; anything else is a bug and goes on its way. */
function whyUnavailable(error: unknown): string {
  if (error instanceof Unavailable || error instanceof InputProblem || error instanceof PackageChanged)
    return error.message;
  if (error instanceof FileError) return `The inputs could not be copied: ${error.message}`;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EEXIST') {
    const { path = 'a file' } = error as NodeJS.ErrnoException;
    return `Something else created ${path} while the evaluation was being prepared, so the evaluation does not count. Evaluate again.`;
  }
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
  const copied = await writtenBelow(inputs);
  const limit = new WrittenLimit(folder, evaluation.max_written);
  await limit.begin();
  const resultFile = join(folder, 'result', 'result.json');
  let timeoutMs = durationMs(evaluation.timeout) ?? 1_800_000;
  /** What was submitted lies on the machine, and nothing takes it away by itself. */
  let isThere = false;
  try {
    const common = {
      inputs,
      folder,
      programs: evaluation.needs,
      workspace: order.workspace,
      limit,
      signal: order.signal,
    };
    if (evaluation.run !== null) {
      const submission = { ...common, command: evaluation.run, folders: order.folders };
      isThere = true;
      timeoutMs -= await runSubmission(machine, { ...submission, timeoutMs }, evaluation);
    }
    const changedList = join(folder, 'protected-changed.txt');
    await writeFile(changedList, protectedChanged.map((path) => `${path}\n`).join(''), { flag: 'wx' });
    // Made only now: whatever is there was made by the evaluator.
    await mkdir(join(folder, 'result'), { mode: 0o700 });
    const evaluator = await limit.exempt(() =>
      stageEvaluator({
        packageFolder: order.packageFolder,
        packageHash: order.packageHash,
        evaluation: evaluation.folder,
        target: join(folder, STAGED),
        signal: order.signal,
      }),
    );
    isThere = false;
    const ended = await onMachine(machine, 'evaluator', () =>
      machine.run({
        ...common,
        command: evaluation.command,
        folders: [...evaluation.folders, ...order.folders],
        evaluator,
        staged: join(folder, STAGED),
        submitted: evaluation.run !== null,
        changedList,
        result: resultFile,
        network: evaluation.network,
        timeoutMs,
      }),
    );
    outcome.log = ended.output;
    throwUnlessSound(ended, evaluation);
    return await readResult(resultFile, ended.lastLine);
  } catch (error) {
    await dropGrown(folder, { inputs: copied.bytes, result: 0 });
    throw error;
  } finally {
    for (const name of SCRATCH) await removeScratch(folder, name);
    if (isThere) await machine.leave?.({ folder, signal: order.signal });
  }
}

/** Of an evaluation that gave no score only what was copied is worth keeping, and what hardly takes space. `sizes`: before it. */
async function dropGrown(folder: string, sizes: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, before] of Object.entries(sizes)) {
    const { bytes, unknown } = await writtenBelow(join(folder, name), before + KEPT_GROWTH);
    if (unknown !== undefined || bytes >= before + KEPT_GROWTH) await removeScratch(folder, name);
  }
}

/**
 * Has what the agent wrote run where neither the evaluator nor its result is, and looks at what it left: a link there would have
 * the evaluator read whatever it leads to. @returns how long it took, ms
 */
async function runSubmission(
  machine: EvaluatingMachine,
  order: SubmissionOrder,
  { timeout, max_written }: TaskSpec['evaluation'],
): Promise<number> {
  const ended = await onMachine(machine, 'submission', () => machine.runSubmission(order));
  await writeFile(join(order.folder, 'run.log'), ended.output, { flag: 'wx' });
  const what = 'What evaluation.run started';
  throwUnlessWhole(ended, what, timeout, max_written);
  if (ended.exitCode !== 0) {
    const said = ended.output.trim().slice(-SAID);
    throw new Unavailable(
      `${what} ended with exit code ${ended.exitCode}. ${said === '' ? 'It printed nothing.' : `It printed last:\n${said}`}`,
    );
  }
  const odd = await oddFile(order.inputs);
  if (odd !== undefined) {
    throw new Unavailable(
      `${what} left ${odd}. The evaluator gets regular files and folders only: write the file itself there.`,
    );
  }
  for (const name of SCRATCH) await removeScratch(order.folder, name);
  return ended.durationMs;
}

/** What the evaluator ran may have left folders that are closed to their owner too. */
async function removeScratch(folder: string, name: string): Promise<void> {
  try {
    await remove(folder, [name], { kind: 'folder' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    await openFolders(join(folder, name));
    await remove(folder, [name], { kind: 'folder' });
  }
}

async function openFolders(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
  }
}

/** What keeps a computer from running something is no bug; a computer that is away is waited for. */
async function onMachine(
  machine: EvaluatingMachine,
  what: 'evaluator' | 'submission',
  work: () => Promise<ProcessOutcome>,
): Promise<ProcessOutcome> {
  try {
    return await work();
  } catch (error) {
    const noSandbox = error instanceof WaymarkError && error.code === 'unsupported';
    const ours = machine === drivingMachine && !noSandbox;
    if (
      error instanceof ComputerUnavailable ||
      (error instanceof WaymarkError && error.code === 'cancelled') ||
      ours
    )
      throw error;
    throw new Unavailable(
      `The ${what} could not be run: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
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
