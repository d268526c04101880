import type { CommandPolicy } from '@shared/contract/command-policy';
import {
  type ActionName,
  type ComputerSpec,
  type GuardLevel,
  type GuardRule,
  type TaskSpec,
  workspaceHolder,
} from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { beginningWith } from '../computer/sessions/environment';

/** A folder of the person's that the sandbox of the files' computer shows at its own path. */
export interface ShownFolder {
  path: string;
  write: boolean;
}

/** One computer an action may name. */
export interface ActionComputer {
  name: string;
  /** Where fresh sessions start; absolute. */
  cwd: string;
  /** Variables of every session. */
  env: Readonly<Record<string, string>>;
  /** Whether a human is asked about commands there; the run as a whole may ask nobody. */
  approvals: 'on' | 'off';
}

/** What the actions need to know of a task; paths are absolute on the computers. */
export interface ActionTaskView {
  tools: readonly ActionName[];
  workspaceRoot: string;
  /** What the sandbox of `filesComputer` shows beside the workspace. */
  shown: readonly ShownFolder[];
  codeFolders: readonly string[];
  protectedPaths: readonly string[];
  guards: Readonly<Record<GuardRule, GuardLevel>>;
  commands: CommandPolicy;
  computers: readonly ActionComputer[];
  /** Computers that only evaluate; no action can name them. */
  evaluators: readonly string[];
  /** The computer that file and eval actions work on. */
  filesComputer: string;
  /** File observations name their computer (the workspace is not shared). */
  nameComputer: boolean;
  /**
   * Other names for a computer, such as `localhost`: this machine, or else the one that holds the workspace, which is what
   * the paper's tools mean by it.
   */
  aliases: Readonly<Record<string, string>>;
  taskHint: { mode: 'off' | 'tool' | 'upfront'; text: string; penalty: number };
  /** The most points that can be reached. */
  maxScore: number;
  /** Working time, ms; null where nobody reckons it. */
  time: { leftMs: number; ofMs: number } | null;
  maxEvals: number;
  /** How long one training may take, working time, ms (null: no limit), and expressions for the commands that start one. */
  training: { readonly limitMs: number | null; commands: readonly string[] };
  /** `continue`: the agent may go on after its last try, and one eval more ends the run; `finish`: the last try ends it. */
  onEvalsSpent: 'continue' | 'finish';
  /** How long `run_command` waits with `wait_for_completion`, ms. */
  waitLimitMs: number;
  /** Size of a fresh session's terminal. */
  terminal: { rows: number; cols: number };
  /** The model that the run began with takes images: the tools say what they do with them. */
  images: boolean;
}

/** The reference waits 10 s; the schema names the figure. */
export const defaultWaitLimitMs = 10_000;

/** What the run's log says beyond the task. */
export interface ViewOptions {
  /** Where the computers are; absent: where the task says. */
  places?: readonly EventBody<'run.created'>['computers'][number][];
  /** What the probe at start found; absent or null: there is one computer. */
  probed?: EventBody<'workspace.probed'> | null;
  maxEvals?: number;
  taskHint?: TaskSpec['task_hint']['mode'];
  images?: boolean;
}

/** The actions' view of a pinned task. `workspaceRoot` is where the run's workspace really is. */
export function actionTaskView(
  spec: TaskSpec,
  workspaceRoot: string,
  options: ViewOptions = {},
): ActionTaskView {
  const hintMode = options.taskHint ?? spec.task_hint.mode;
  const inside = (path: string) => `${workspaceRoot}/${path}`;
  const usable = spec.computers.filter((computer) => !computer.evaluator);
  const placed = new Map(options.places?.map((place) => [place.name, place]));
  const isLocal = ({ name, host }: ComputerSpec) =>
    (placed.get(name)?.kind ?? (host === 'local' ? 'local' : 'ssh')) === 'local';
  const local = usable.find(isLocal);
  const own = new Set(usable.map((computer) => computer.name));
  const localNames = ['localhost', '127.0.0.1', '::1'].filter((name) => !own.has(name));
  const roots = new Map(options.probed?.computers.map(({ name, root }) => [name, root]));
  return {
    tools: hintMode === 'tool' ? [...new Set([...spec.tools, 'view_hint' as const])] : spec.tools,
    workspaceRoot,
    shown: placed.get(workspaceHolder(spec).name)?.folders ?? [],
    codeFolders: spec.code_folders.length > 0 ? spec.code_folders.map(inside) : [workspaceRoot],
    protectedPaths: spec.protected.map(inside),
    guards: spec.guards,
    commands: spec.commands,
    computers: usable.map((computer) => ({
      name: computer.name,
      cwd: roots.get(computer.name) ?? workspaceRoot,
      env: {
        PAGER: 'cat',
        GIT_PAGER: 'cat',
        ...computer.setup.variables,
        ...beginningWith(computer.setup.each_session),
      },
      approvals: placed.get(computer.name)?.approvals ?? 'on',
    })),
    evaluators: spec.computers.filter(({ evaluator }) => evaluator).map(({ name }) => name),
    filesComputer: workspaceHolder(spec).name,
    nameComputer: options.probed != null && !options.probed.shared,
    aliases: Object.fromEntries(localNames.map((name) => [name, (local ?? workspaceHolder(spec)).name])),
    taskHint: {
      mode: hintMode,
      text: spec.task_hint.text,
      penalty: spec.task_hint.penalty,
    },
    maxScore: spec.evaluation.max_score,
    time: null,
    maxEvals: options.maxEvals ?? spec.limits.max_eval_num,
    training: { limitMs: null, commands: spec.rules.training_commands },
    onEvalsSpent: spec.limits.on_evals_spent,
    waitLimitMs: defaultWaitLimitMs,
    terminal: { rows: 40, cols: 160 },
    images: options.images ?? false,
  };
}

/** What an evaluation is asked with. The score it gives has the task hint's penalty taken off already. */
export interface EvaluationRequest {
  step: number;
  /** The try this would be, 1-based. */
  attempt: number;
  /** The task hint was seen: its penalty applies. */
  hintSeen: boolean;
  signal: AbortSignal;
}

/** What an evaluation came to. `attempt` is null when no try was spent. */
export type EvaluationResult = Omit<EventBody<'evaluation.ended'>, 'step' | 'forced'>;
