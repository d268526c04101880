import { z } from 'zod';
import { commandPolicySchema } from './command-policy';
import { precedences, ruleChoicesSchema } from './rules/rule-settings';
import { innerPath, setupSchema } from './task-setup';

/**
 * `task.yaml`: what a task package states. Keys are snake_case as in the file. Every object is closed: an
 * unknown key is an error. `TaskSpec` is also what a run pins in `run.created.spec`; parsing it again gives
 * the same value. Meanings: docs/task-package.md.
 */

/** The actions a task may offer, by family. Names are those of the reference system. */
export const actionFamilies = {
  command: [
    'create_session',
    'list_sessions',
    'run_command',
    'input_in_session',
    'get_session_output',
    'get_session_recent_output',
    'get_session_status',
    'check_session_idle',
    'clear_session_buffer',
    'close_session',
    'close_all_sessions',
    'kill_session_processes',
  ],
  file: [
    'open_file',
    'file_goto_line',
    'file_scroll_down',
    'file_scroll_up',
    'get_file_info',
    'create_file',
    'edit_file',
    'search_dir',
    'search_file',
    'find_file',
    'list_files',
  ],
  special: ['think', 'sleep', 'eval', 'view_hint', 'finish'],
  parse: [
    'parse_pdf',
    'parse_docx',
    'parse_latex',
    'parse_pptx',
    'parse_audio',
    'parse_image',
    'parse_video',
  ],
  web_search: ['web_search'],
  web_browse: [
    'web_browse',
    'web_page_goto_line',
    'web_page_scroll_down',
    'web_page_scroll_up',
    'web_page_search',
    'web_page_search_next',
    'web_page_get_links',
  ],
} as const;

export type ActionFamily = keyof typeof actionFamilies;
export type ActionName = (typeof actionFamilies)[ActionFamily][number];
export const actionNames = Object.values(actionFamilies).flat() as readonly ActionName[];

/** Offered when a task says nothing: all of command and file, and the special ones but `view_hint`. */
export const defaultTools: readonly ActionName[] = [
  ...actionFamilies.command,
  ...actionFamilies.file,
  'think',
  'sleep',
  'eval',
  'finish',
];

export const guardLevels = ['off', 'warn', 'refuse'] as const;
export type GuardLevel = (typeof guardLevels)[number];

/** Guard rule → its level when the task says nothing. */
export const guardDefaults = {
  /** Changing a file of which nothing was shown since it last changed. */
  edit_unseen: 'warn',
  /** Two edits of one file in a row. */
  edit_twice: 'warn',
  /** No `think` before the first edit or long command. */
  think_first: 'warn',
  /** A sleep of 120 s or more while nothing runs in a session. */
  early_sleep: 'warn',
  /** Two sleeps without a look between them. */
  sleep_twice: 'warn',
  /** Finishing below the full score with tries and time left. */
  early_finish: 'warn',
  /** A path that does not start at the root. */
  relative_path: 'refuse',
  /** A path outside the workspace, symbolic links resolved. */
  outside_workspace: 'refuse',
  /** `nohup`, `kill`, `pkill`, `killall`: sessions do this. */
  process_control: 'refuse',
  /** A command that the task's own `commands` say is refused. */
  task_command: 'refuse',
} as const satisfies Record<string, GuardLevel>;

export type GuardRule = keyof typeof guardDefaults;

const guardLevel = z.enum(guardLevels);
const guardsSchema = z
  .strictObject({
    edit_unseen: guardLevel.default(guardDefaults.edit_unseen),
    edit_twice: guardLevel.default(guardDefaults.edit_twice),
    think_first: guardLevel.default(guardDefaults.think_first),
    early_sleep: guardLevel.default(guardDefaults.early_sleep),
    sleep_twice: guardLevel.default(guardDefaults.sleep_twice),
    early_finish: guardLevel.default(guardDefaults.early_finish),
    relative_path: guardLevel.default(guardDefaults.relative_path),
    outside_workspace: guardLevel.default(guardDefaults.outside_workspace),
    process_control: guardLevel.default(guardDefaults.process_control),
    task_command: guardLevel.default(guardDefaults.task_command),
  })
  .prefault({});

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Milliseconds of a duration as written in a task file (`90s`, `1.5h`, `2d`); null when it is none. */
export function durationMs(text: string): number | null {
  const match = durationPattern.exec(text);
  if (!match) return null;
  const ms = Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
  return ms > 0 ? Math.round(ms) : null;
}

const duration = z
  .string()
  .refine((text) => durationMs(text) !== null, 'must be a duration such as 90s, 30m, 48h or 2d');

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1 to 64 letters, digits, dots, dashes or underscores, starting with a letter or digit',
  );
const line = z.string().min(1).max(300);

export const computerTypes = ['gpu', 'cpu', 'localhost_cpu'] as const;

export const computerSpecSchema = z.strictObject({
  /** What the agent passes as `computer_ip`. */
  name,
  /** `local`, or an alias of the user's ssh configuration. */
  host: z.string().min(1).max(255),
  type: z.enum(computerTypes),
  internet: z.boolean().default(false),
  gpus: z
    .strictObject({ count: z.int().positive(), memory_gb: z.number().positive() })
    .nullable()
    .default(null),
  /** Runs evaluations and nothing else; no action can name it. */
  evaluator: z.boolean().default(false),
  /** A machine set aside for such runs: approvals default to off on it. */
  dedicated: z.boolean().default(false),
  setup: setupSchema,
});
export type ComputerSpec = z.infer<typeof computerSpecSchema>;

const scoreSchema = z
  .strictObject({
    /** Raw metric that is worth 0 points. */
    baseline: z.number(),
    /** Raw metric that is worth 80 points. */
    reference: z.number(),
    direction: z.enum(['higher', 'lower']).default('higher'),
  })
  .refine((s) => (s.direction === 'higher' ? s.reference > s.baseline : s.reference < s.baseline), {
    path: ['reference'],
    message: 'must lie on the better side of the baseline (check direction)',
  });
export type ScoreSpec = z.infer<typeof scoreSchema>;

const evaluationSchema = z.strictObject({
  /** One line for `sh -c`, run in a fresh folder that holds the inputs; WAYMARK_EVALUATOR is the evaluator's folder. */
  command: z.string().min(1),
  /**
   * One line for `sh -c` that runs what the agent wrote, in the folder of the inputs and before the evaluator is copied: it sees
   * neither the evaluator nor the result, and the evaluator only reads what it made.
   */
  run: z.string().min(1).nullable().default(null),
  /** Folder of the package with the evaluator and its keys; never copied to a computer the agent uses. */
  folder: innerPath.default('evaluation'),
  /** Globs over the workspace; what they match is copied for the evaluator. */
  inputs: z.array(z.string().min(1)).min(1),
  max_bytes: z
    .int()
    .positive()
    .max(64 * 1024 ** 3)
    .default(256 * 1024 ** 2),
  /** Of `run` and `command` together. */
  timeout: duration.default('30m'),
  /** What both may write together, bytes, besides the copies that they are given; an empty file counts as 4 KB. */
  max_written: z
    .int()
    .min(1024 ** 2)
    .max(1024 ** 4)
    .default(4 * 1024 ** 3),
  /** Programs that must be on the PATH of the machine that evaluates. */
  needs: z.array(z.string().regex(/^[A-Za-z0-9._+-]+$/, 'must be the name of a program')).default([]),
  /** Absolute paths on the machine that evaluates which the evaluator may read there, as data it needs, where it runs in a sandbox. */
  folders: z.array(z.string().regex(/^\//, 'must be an absolute path')).max(50).default([]),
  /** Whether the evaluator needs the network, where it runs in a sandbox. */
  network: z.boolean().default(false),
  /** Absent: the evaluator's number is taken as points from 0 to 100. */
  score: scoreSchema.nullable().default(null),
  /** Points from which a run counts as successful. */
  success_at: z.number().min(0).max(100).default(80),
  /** The most points that can be reached; there is nothing left to gain from then on. */
  max_score: z.number().positive().max(100).default(100),
});

const limitsSchema = z
  .strictObject({
    max_steps: z.int().positive().max(1_000_000).default(4_000),
    max_working_time: duration.default('48h'),
    /** How long one training command may run (InnovatorBench, appendix D); null: as long as the run. */
    max_training_time: duration.nullable().default(null),
    max_eval_num: z.int().nonnegative().max(1_000).default(3),
    on_evals_spent: z.enum(['continue', 'finish']).default('continue'),
  })
  .prefault({});

const taskHintSchema = z
  .strictObject({
    mode: z.enum(['off', 'tool', 'upfront']).default('off'),
    file: innerPath.default('hint.md'),
    /** Points taken off every score after the hint was seen. */
    penalty: z.number().min(0).max(100).default(0),
    /** Whether the penalty is taken off also where the hint was part of the task (InnovatorBench table 3 names none). */
    penalty_upfront: z.boolean().default(false),
    /** Filled in from `file` when the package is loaded; not written in the file. */
    text: z.string().default(''),
  })
  .prefault({});

const workspaceSchema = z
  .strictObject({
    /** The computer that file, parse and eval actions work on; the first of the pool when absent. */
    holder: name.nullable().default(null),
    /** All computers see the workspace under the same path. Proven by a probe at start. */
    shared: z.boolean().default(true),
    /** When it is not shared after all: refuse the run, or name the computer in every file observation. */
    unshared: z.enum(['refuse', 'name_computer']).default('refuse'),
    /** Absolute path on the computers; null = the run's own folder on the local computer. */
    root: z.string().regex(/^\//, 'must be an absolute path').nullable().default(null),
  })
  .prefault({});

/** Parameters of label rules and guards. */
const rulesSchema = z
  .strictObject({
    /** Which label rules are on, and their parameters; the rest is as docs/rules.md says. */
    labels: ruleChoicesSchema.default({}),
    /** How rules and judge meet. */
    precedence: z.enum(precedences).default('union'),
    /** Scripts of the workspace that are there to be used: a near-copy beside one ignores it. */
    provided_scripts: z.array(innerPath).default([]),
    /** All weights can be trained on what the task gives: LoRA and its like leave it unused. */
    full_training: z.boolean().default(false),
    /** Names whose import or installation breaks the task's constraints; `NAME:generation` means generating with it only. */
    forbidden_frameworks: z.array(z.string().min(1)).default([]),
    /** Regular expressions for commands that start training. */
    training_commands: z
      .array(z.string().min(1))
      .default(['\\btrain', '\\bfinetun', '\\btorchrun\\b', '\\bsft\\b', '\\bgrpo\\b']),
    /** MB of GPU memory in use from which a GPU counts as taken. */
    gpu_taken_mb: z.number().positive().default(10_000),
    /** Steps after which a busy, unread session counts as forgotten. */
    forgotten_after_steps: z.int().positive().default(50),
  })
  .prefault({});

const checkpointsSchema = z
  .strictObject({
    /** Steps from one checkpoint to the next; 0 = only when somebody asks for one. */
    every: z.int().nonnegative().max(1_000_000).default(50),
    /** One after the final evaluation. */
    final: z.boolean().default(true),
    /** Globs over the workspace that no checkpoint holds, besides caches. */
    exclude: z.array(z.string().min(1).max(1_000)).max(200).default([]),
  })
  .prefault({});

const paperSchema = z
  .strictObject({
    title: line,
    url: z.string().max(500).nullable().default(null),
    /** Benchmark and number the task stems from, e.g. `InnovatorBench 4`. */
    benchmark: line.nullable().default(null),
  })
  .nullable()
  .default(null);

export const taskSpecSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 small letters, digits, dashes or underscores'),
    title: line,
    domain: line.nullable().default(null),
    /** The task as the agent reads it; filled in from `description_file` when not written here. */
    description: z.string().max(200_000).default(''),
    description_file: innerPath.default('task_description.md'),
    paper: paperSchema,
    /** What the agent must not do, one sentence each; joined to the description. */
    constraints: z.array(line).default([]),
    computers: z
      .array(computerSpecSchema)
      .min(1)
      .max(64)
      .prefault([{ name: 'local', host: 'local', type: 'localhost_cpu' }]),
    workspace: workspaceSchema,
    /** Folders of the workspace whose files count as the agent's code; the whole workspace when empty. */
    code_folders: z.array(innerPath).default([]),
    /** Files or folders of the workspace the agent may not change; hashed at reset. */
    protected: z.array(innerPath).default([]),
    tools: z
      .array(z.enum(actionNames))
      .min(1)
      .default([...defaultTools]),
    guards: guardsSchema,
    /** Classes of commands and rules for programs: allowed, asked about, refused. */
    commands: commandPolicySchema,
    /** Computer name → approvals; absent: on for `local`, off for dedicated computers. */
    approvals: z.record(name, z.enum(['on', 'off'])).default({}),
    limits: limitsSchema,
    evaluation: evaluationSchema,
    checkpoints: checkpointsSchema,
    task_hint: taskHintSchema,
    /** η·L of APOLLO Algorithm 1, tokens. */
    context_tokens: z.int().min(2_000).max(10_000_000).default(100_000),
    rules: rulesSchema,
    licence: line.nullable().default(null),
    source: z.string().max(2_000).nullable().default(null),
  })
  .superRefine((spec, context) => {
    const problem = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const names = spec.computers.map((c) => c.name);
    for (const [i, own] of names.entries()) {
      if (names.indexOf(own) !== i) problem(['computers', i, 'name'], `repeats the name "${own}"`);
    }
    for (const [i, c] of spec.computers.entries()) {
      if (c.type === 'gpu' && c.gpus === null) problem(['computers', i, 'gpus'], 'is needed for type gpu');
      if (c.type !== 'gpu' && c.gpus !== null)
        problem(['computers', i, 'type'], 'must be gpu where gpus are given');
    }
    const usable = spec.computers.filter((c) => !c.evaluator).map((c) => c.name);
    if (usable.length === 0) problem(['computers'], 'must hold a computer that is not an evaluator');
    const { holder } = spec.workspace;
    if (holder !== null && !usable.includes(holder)) {
      problem(['workspace', 'holder'], `must be one of the computers of the pool: ${usable.join(', ')}`);
    }
    for (const own of Object.keys(spec.approvals)) {
      if (!names.includes(own))
        problem(['approvals', own], `is not a computer of the pool: ${names.join(', ')}`);
    }
    for (const [i, text] of spec.rules.training_commands.entries()) {
      try {
        new RegExp(text);
      } catch (error) {
        problem(
          ['rules', 'training_commands', i],
          `is not a regular expression: ${(error as Error).message}`,
        );
      }
    }
    if (spec.task_hint.mode === 'tool' && !spec.tools.includes('view_hint')) {
      problem(['tools'], 'must offer view_hint when task_hint.mode is tool');
    }
    if (spec.task_hint.mode !== 'tool' && spec.tools.includes('view_hint')) {
      problem(['tools'], 'offers view_hint, but task_hint.mode is not tool');
    }
  });
export type TaskSpec = z.infer<typeof taskSpecSchema>;

/** The computer that file, parse and eval actions work on. */
export function workspaceHolder(spec: TaskSpec): ComputerSpec {
  const usable = spec.computers.filter((c) => !c.evaluator);
  const holder = usable.find((c) => c.name === spec.workspace.holder) ?? usable[0];
  if (!holder) throw new RangeError(`Task ${spec.id} has no computer that an action may use`);
  return holder;
}

/** Approvals of a computer when the person who starts the run does not choose (semantics: Tasks). */
export function approvalsFor(spec: TaskSpec, computer: ComputerSpec): 'on' | 'off' {
  return spec.approvals[computer.name] ?? (computer.dedicated ? 'off' : 'on');
}

/** What a task may do and had better not, found when its package is looked at. */
export const taskWarning = z.discriminatedUnion('kind', [
  /** No score reaches what counts as success. */
  z.object({ kind: z.literal('success_unreachable'), successAt: z.number(), maxScore: z.number() }),
  /** The evaluator seems to run or load what the agent wrote; `file`: of the package, or `evaluation.command`. */
  z.object({ kind: z.literal('runs_agent_files'), file: z.string() }),
]);
export type TaskWarning = z.infer<typeof taskWarning>;
