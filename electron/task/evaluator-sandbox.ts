import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { dataFolder } from '../application-folders';
import { closedNetwork } from '../computer/local/sandbox/bubblewrap';
import { type LocalSandbox, localSandbox } from '../computer/local/sandbox/local-sandbox';
import { lookThrough } from '../computer/local/sandbox/look-through';
import { liesBelow, namesOf, overlap } from '../computer/local/sandbox/mount-points';
import { type SharedFolder, systemFolders } from '../computer/local/sandbox/sandbox-view';
import { whyPrivate } from '../computer/local/sandbox/shown-folders';
import { programFolders } from './program-folders';
import type { WrittenLimit } from './written-limit';

/** What both commands of an evaluation have. Folders are on the driver's machine. */
export interface MachineOrder {
  /** One line for `sh -c`. */
  command: string;
  /** Holds what was copied from the workspace, and what `evaluation.run` made of it. */
  inputs: string;
  /** Of this evaluation alone; the others are in it. */
  folder: string;
  /** Programs that the task names. */
  programs: readonly string[];
  /** Absolute paths on the evaluating machine that are to be readable, besides what every sandbox shows. */
  folders: readonly string[];
  /** The workspace that the run is in: no evaluation sees into it. */
  workspace: string;
  timeoutMs: number;
  limit: WrittenLimit;
  signal: AbortSignal;
}

/** One run of what the agent wrote (`evaluation.run`), before the evaluator is anywhere near. */
export type SubmissionOrder = MachineOrder;

/** One run of a task's evaluator. */
export interface EvaluatorOrder extends MachineOrder {
  /** The evaluator and its keys, within `staged`. */
  evaluator: string;
  /** What was copied of the package for this evaluation; its links lead no further. */
  staged: string;
  /** `runSubmission` came first: the inputs are what it left, and are only read. */
  submitted: boolean;
  /** Lists protected paths that changed, one a line. */
  changedList: string;
  /** Where the result is to be, if the evaluator writes one, in a folder of its own that is empty; may be something else than a plain file. */
  result: string;
  network: boolean;
}

export interface EvaluatorSandbox extends LocalSandbox {
  /** What of it is not as the evaluation asked, folders that it does not get among them; sentences for its log. */
  readonly left: readonly string[];
}

/**
 * The sandbox of one evaluation. What is evaluated is written by the agent, and evaluators run it: so it sees the evaluator's
 * copy, the inputs and the folder of the result, which it may write, and reads the list of changed protected files, the system,
 * the programs it was promised and the folders that the task names. Where `evaluation.run` has run what the agent wrote, the
 * inputs are read-only. Not the person's home, not the workspace with its log, its
 * runs and earlier evaluations, no process and no socket outside, and the network only where the task says so. Like every view it
 * is a list of what is shown.
 * @throws WaymarkError unsupported, as `sandboxArguments`
 */
export async function evaluatorSandbox(program: string, order: EvaluatorOrder): Promise<EvaluatorSandbox> {
  const inputs = { path: order.inputs, write: !order.submitted };
  return sandboxWith(program, {
    ...order,
    work: order.staged,
    own: [inputs, { path: dirname(order.result), write: true }, readOnly(order.changedList)],
    scratch: EVALUATOR_SCRATCH,
  });
}

/**
 * The sandbox of `evaluation.run`, which runs before the evaluator's package is copied: it sees the inputs, which it may write, a
 * home and a /tmp that the evaluator does not get, the system, programs, and what the agent's sessions are shown as well. No
 * folder of `evaluation.folders`, for that is where tasks keep the answers, and no network.
 * @throws WaymarkError unsupported, as `sandboxArguments`
 */
export async function submissionSandbox(program: string, order: SubmissionOrder): Promise<EvaluatorSandbox> {
  return sandboxWith(program, {
    ...order,
    work: order.inputs,
    own: [],
    network: false,
    scratch: SUBMISSION_SCRATCH,
  });
}

/** Below the evaluation's folder: what stands for the home and for /tmp, apart for the two who must not help each other. */
interface ScratchNames {
  home: string;
  temporary: string;
}
const EVALUATOR_SCRATCH: ScratchNames = { home: 'home', temporary: 'tmp' };
const SUBMISSION_SCRATCH: ScratchNames = { home: 'run-home', temporary: 'run-tmp' };

/** All of them, for whoever clears up. */
export const SCRATCH_NAMES = [EVALUATOR_SCRATCH, SUBMISSION_SCRATCH].flatMap(({ home, temporary }) => [
  home,
  temporary,
]);

interface SandboxWish extends MachineOrder {
  /** Is always there for writing. */
  work: string;
  own: readonly SharedFolder[];
  network: boolean;
  scratch: ScratchNames;
}

async function sandboxWith(program: string, order: SandboxWish): Promise<EvaluatorSandbox> {
  const home = homedir();
  const homes = [home, userInfo().homedir].flatMap(namesOf);
  const places = { home: homes, workspace: namesOf(order.workspace) };
  const installed = await programFolders([...order.programs, ...wordsOf(order.command)], home);
  const wanted = new Map([
    ...installed.map((path) => [path, whyNot(path, places)] as const),
    ...order.folders.map((path) => [path, whyNot(path, places) ?? whyHidden(path, order.workspace)] as const),
  ]);
  const shown = [...wanted].flatMap(([path, why]) => (why === null && !shownAnyway(path) ? [path] : []));
  const apart = closedNetwork(program).length > 0;
  const view = {
    work: order.work,
    home: join(order.folder, order.scratch.home),
    temporary: join(order.folder, order.scratch.temporary),
    folders: [
      ...shown.filter((path) => !shown.some((other) => liesBelow(path, other))).map(readOnly),
      ...order.own,
    ],
    network: order.network || !apart,
  };
  const left = [...wanted].flatMap(([path, why]) =>
    why === null ? [] : [`Not shown to the evaluator: ${path}, ${why}.`],
  );
  if (view.network && !order.network) left.push(noNetwork);
  return { ...localSandbox(program, view), left };
}

const noNetwork = 'The network could not be taken away: this system lets bubblewrap make none of its own.';
const readOnly = (path: string) => ({ path, write: false });

/** Words of a shell line that may be names of programs. */
function wordsOf(command: string): string[] {
  return command.split(/[^\w.+-]+/).filter((word) => /^\w/.test(word));
}

const shownAnyway = (path: string) =>
  namesOf(path).every((name) => systemFolders.some((folder) => name === folder || liesBelow(name, folder)));

/** By every name that leads there. */
interface Places {
  home: readonly string[];
  workspace: readonly string[];
}

/** Why a folder is not shown, to continue a sentence; null when it may be. */
function whyNot(path: string, { home, workspace }: Places): string | null {
  if (!existsSync(path)) return 'which is not there';
  const names = namesOf(path);
  if (names.some((name) => workspace.some((each) => overlap(name, each))))
    return "because it holds Waymark's workspace or lies in it";
  const holdsHome = (name: string) => home.some((each) => name === each || liesBelow(each, name));
  return names.some(holdsHome) ? 'because your home lies in it' : null;
}

/** The same for a folder that a task names: what no session is shown, no evaluator is. */
function whyHidden(path: string, workspace: string): string | null {
  const data = dataFolder(process.env, process.platform);
  const why = whyPrivate(path, { data, workspace }) ?? lookThrough(path).why;
  return why === undefined ? null : `because ${why}`;
}
