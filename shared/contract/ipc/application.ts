import { z } from 'zod';
import type { Failure } from '../errors';
import { type Settings, settingsChangeSchema } from '../settings';
import type { TaskWarning } from '../task-warning';
import { none, returns } from './parts';

/** The application itself: settings, workspace, tasks, model test, demo. */
export const applicationCommands = {
  'app.info': { input: none, output: returns<AppInfo>() },
  'app.openExternal': { input: z.object({ url: z.url({ protocol: /^https?$/ }) }), output: returns<void>() },
  'app.saveDiagnostics': { input: none, output: returns<{ path: string | null }>() },
  'settings.get': { input: none, output: returns<Settings>() },
  'settings.set': { input: settingsChangeSchema, output: returns<Settings>() },
  'settings.setKey': {
    // The key is kept for the origin of `baseUrl`; absent: of the endpoint in the settings.
    input: z.object({
      endpoint: z.string().max(60),
      key: z.string().max(4096),
      baseUrl: z.url().max(2_048).optional(),
    }),
    output: returns<{ kept: 'store' | 'file' | 'memory' }>(),
  },
  /** Where keys are kept: the system's key store, a file under a passphrase, or memory only. */
  'settings.keys': { input: none, output: returns<KeyKeeping>() },
  /** Opens the file of keys, or begins one. Refused where the system has a key store. */
  'settings.unlockKeys': {
    input: z.object({ passphrase: z.string().min(1).max(1024) }),
    output: returns<KeyKeeping>(),
  },
  'settings.lockKeys': { input: none, output: returns<KeyKeeping>() },
  'app.power': { input: none, output: returns<PowerState>() },
  'workspace.status': { input: none, output: returns<WorkspaceStatus>() },
  /** Opens the system's folder dialog in the main process; null = cancelled. */
  'workspace.choose': { input: none, output: returns<WorkspaceStatus | null>() },
  'workspace.openDefault': { input: none, output: returns<WorkspaceStatus>() },
  /** Asks natively whether a workspace from elsewhere may be worked in, and opens it for that; null = no. */
  'workspace.trust': { input: none, output: returns<WorkspaceStatus | null>() },
  'tasks.list': { input: none, output: returns<TaskRow[]>() },
  'tasks.add': { input: none, output: returns<TaskRow | null>() },
  'catalogue.list': { input: none, output: returns<CatalogueRow[]>() },
  'catalogue.create': { input: z.object({ key: z.string() }), output: returns<{ folder: string } | null>() },
  /** Asks an endpoint of the settings once. */
  'model.test': { input: z.object({ endpoint: z.string().max(60) }), output: returns<ModelTest>() },
  'demo.start': { input: none, output: returns<{ run: string }>() },
} as const;

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
