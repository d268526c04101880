import { z } from 'zod';
import type { Failure } from '../errors';
import { type Settings, settingsChangeSchema } from '../settings';
import type { TaskWarning } from '../task';
import { type CommandRows, none, returns, run } from './parts';
import type { PickedFolder } from './runs';

/** The application itself: settings, workspace, tasks, model test, demo. */
export const applicationCommands = {
  'app.info': { input: none, output: returns<AppInfo>(), place: 'window', consent: 'free' },
  'app.openExternal': {
    input: z.object({ url: z.url({ protocol: /^https?$/ }) }),
    output: returns<void>(),
    place: 'window',
    consent: 'native',
  },
  'app.saveDiagnostics': {
    input: none,
    output: returns<{ path: string | null }>(),
    place: 'window',
    consent: 'native',
  },
  'settings.get': { input: none, output: returns<Settings>(), place: 'window', consent: 'free' },
  'settings.set': {
    input: settingsChangeSchema,
    output: returns<Settings>(),
    place: 'window',
    consent: 'gesture',
  },
  'settings.setKey': {
    // The key is kept for the origin of `baseUrl`; absent: of the endpoint in the settings.
    input: z.object({
      endpoint: z.string().max(60),
      key: z.string().max(4096),
      baseUrl: z.url().max(2_048).optional(),
    }),
    output: returns<{ kept: 'store' | 'file' | 'memory' }>(),
    place: 'window',
    consent: 'gesture',
  },
  'workspace.status': {
    input: none,
    output: returns<WorkspaceStatus>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Opens the system's folder dialog in the main process; null = cancelled. */
  'workspace.choose': {
    input: none,
    output: returns<WorkspaceStatus | null>(),
    place: 'window',
    consent: 'native',
    afterwards: "shows this machine's workspace",
  },
  'workspace.openDefault': {
    input: none,
    output: returns<WorkspaceStatus>(),
    place: 'window',
    consent: 'free',
    afterwards: "shows this machine's workspace",
  },
  /** Asks natively whether a workspace from elsewhere may be worked in, and opens it for that; null = no. */
  'workspace.trust': {
    input: none,
    output: returns<WorkspaceStatus | null>(),
    place: 'disk',
    consent: 'native',
    there: 'run list --trust',
  },
} as const satisfies CommandRows;

/** Keys, and the wish for this machine not to sleep. */
export const keepingCommands = {
  /** Where keys are kept: the system's key store, a file under a passphrase, or memory only. */
  'settings.keys': { input: none, output: returns<KeyKeeping>(), place: 'window', consent: 'free' },
  /** Opens the file of keys, or begins one. Refused where the system has a key store. */
  'settings.unlockKeys': {
    input: z.object({ passphrase: z.string().min(1).max(1024) }),
    output: returns<KeyKeeping>(),
    place: 'window',
    consent: 'gesture',
  },
  'settings.lockKeys': { input: none, output: returns<KeyKeeping>(), place: 'window', consent: 'gesture' },
  'app.power': { input: none, output: returns<PowerState>(), place: 'window', consent: 'free' },
} as const satisfies CommandRows;

export const taskCommands = {
  'tasks.list': { input: none, output: returns<TaskRow[]>(), place: 'workspace', consent: 'free' },
  'tasks.add': {
    input: none,
    output: returns<TaskRow | null>(),
    place: 'disk',
    consent: 'native',
    there: 'task add PATH',
  },
  'catalogue.list': { input: none, output: returns<CatalogueRow[]>(), place: 'window', consent: 'free' },
  'catalogue.create': {
    input: z.object({ key: z.string() }),
    output: returns<{ folder: string } | null>(),
    place: 'window',
    consent: 'native',
  },
} as const satisfies CommandRows;

/** Answered by the window's process itself: no group of handlers has them. */
export const windowCommands = {
  /** Asks an endpoint of the settings once. */
  'model.test': {
    input: z.object({ endpoint: z.string().max(60) }),
    output: returns<ModelTest>(),
    place: 'window',
    consent: 'gesture',
  },
  /** Asks the person for a folder of this machine that the next run may see. */
  'runs.pickFolder': {
    input: z.object({ write: z.boolean() }),
    output: returns<PickedFolder | null>(),
    place: 'disk',
    consent: 'native',
    there: 'run start --task ID --show PATH',
  },
  /** Which run the window shows: nobody needs to be notified of that one while the window has the focus. */
  'attention.showing': {
    input: z.object({ run: run.nullable() }),
    output: returns<void>(),
    place: 'window',
    consent: 'free',
  },
} as const satisfies CommandRows;

export interface AppInfo {
  name: string;
  version: string;
  runtime: { electron: string; chrome: string; node: string; sqlite: string };
  /** True on the fallback runtime: the window carries a banner. */
  testRuntime: boolean;
  platform: string;
  locale: string;
  smoke: boolean;
}

export interface WorkspaceStatus {
  folder: string | null;
  defaultFolder: string;
  freeBytes: number | null;
  problem: Failure | null;
  /** One failure for each run of which something cannot be read. */
  unreadable: Failure[];
  /** It was made on another device or copied from one, and nobody has trusted it yet: every write is refused. */
  isReadOnly: boolean;
}

export interface TaskRow {
  id: string;
  title: string;
  domain: string | null;
  hash: string;
  addedAt: number;
  /** First lines of the description. */
  summary: string;
  tools: string[];
  limits: { maxSteps: number; maxWorkingMs: number; maxEvals: number; maxTrainingMs: number | null };
  /** The most points that can be reached. */
  maxScore: number;
  /** What the task says of its hint; `none`: it has no hint to give. */
  taskHint: 'off' | 'tool' | 'upfront' | 'none';
  approvals: 'on' | 'off';
  computers: {
    name: string;
    host: string;
    kind: string;
    gpus: number;
    internet: boolean;
    evaluator: boolean;
    dedicated: boolean;
    /** Shell commands that its sessions begin with. */
    eachSession: string[];
    /** What the task says for this computer when nobody chooses. */
    approvals: 'on' | 'off';
  }[];
  /** Why it cannot run here; empty when it can. */
  unsupported: string[];
  /** What its package had better not do; it runs all the same. */
  warnings: TaskWarning[];
}

export interface CatalogueRow {
  key: string;
  paper: 'InnovatorBench' | 'APOLLO';
  number: number;
  title: string;
  domain: string;
  model: string | null;
  hours: number | null;
  gpus: string | null;
  web: boolean | null;
  constraints: string[];
  summary: string;
}

export interface ModelTest {
  ok: boolean;
  /** Milliseconds to the first token; null when it failed. */
  firstTokenMs: number | null;
  toolCalls: boolean;
  message: string;
}

export interface KeyKeeping {
  /** `file`: under a passphrase that was given; `locked`: there is such a file and nobody has opened it yet. */
  kept: 'store' | 'file' | 'locked' | 'memory';
  /** Endpoints whose key is known now. */
  endpoints: string[];
}

export interface PowerState {
  /** The machine is kept from falling asleep now, for this many runs. */
  holdingFor: number;
  onBattery: boolean;
  /** The last time it slept all the same, while runs were driven: wall-clock ms. */
  lastSleep: { from: number; to: number; runs: number } | null;
}

/** Figures of a run, and plots as files. */
export const plotCommands = {
  /** Asks for the file in the main process; null = cancelled. `content` of a picture is base64. */
  'plots.save': {
    input: z.object({
      name: z.string().min(1).max(80),
      format: z.enum(['png', 'svg', 'csv', 'md']),
      content: z.string().max(20_000_000),
    }),
    output: returns<{ path: string } | null>(),
    place: 'window',
    consent: 'native',
  },
} as const satisfies CommandRows;
