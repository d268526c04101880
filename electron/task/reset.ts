import { access, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { ComputerSpec, TaskSpec } from '@shared/task';
import { z } from 'zod';
import type { FileSystemPort } from '../computer/port';
import { copyEntries } from './add';
import { isInside, listPackage, type PackageEntry } from './package-files';
import { hashProtected, type ProtectedHashes } from './protected';
import { runProcess } from './run-process';

export interface ResetOrder {
  spec: TaskSpec;
  /** The pinned copy of the package. */
  packageFolder: string;
  /** The run's folder, `<workspace>/runs/<run>`; the agent's files go to `work` below it. */
  runFolder: string;
  files: Pick<FileSystemPort, 'stat' | 'walk' | 'hash'>;
  signal: AbortSignal;
  /** Called whenever a step's state changes, with all steps in order. */
  onProgress?: (steps: readonly SetupStep[]) => void;
}

const stepSchema = z.object({
  id: z.string(),
  title: z.string(),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  message: z.string().default(''),
});
/** One visible piece of the preparation. */
export type SetupStep = z.infer<typeof stepSchema>;

export interface PreparedWorkspace {
  root: string;
  steps: SetupStep[];
  protectedHashes: ProtectedHashes;
}

const stateSchema = z.object({
  steps: z.array(stepSchema),
  protectedHashes: z.record(z.string(), z.string()).nullable(),
});
type SetupState = z.infer<typeof stateSchema>;

const SETUP_FILE = 'setup.json';
const ENVIRONMENT_TIMEOUT = 6 * 3_600_000;

/** Where the agent works on the local computer. */
export function workspaceRoot(runFolder: string): string {
  return join(runFolder, 'work');
}

/**
 * Prepares a run's workspace: `task/` and `data/` of the package, the set-up steps of the local computer,
 * hashes of protected files. Steps that are done stay done, so a second call goes on where the first one stopped.
 * @throws WaymarkError `refused` naming the step that failed, `disk_full`, `cancelled`
 */
export async function prepareWorkspace(order: ResetOrder): Promise<PreparedWorkspace> {
  const root = workspaceRoot(order.runFolder);
  await mkdir(root, { recursive: true });
  const { entries } = await listPackage(order.packageFolder);
  const work = plan(order, root, entries);
  const state = await readState(order.runFolder);
  const done = new Set(state.steps.filter((step) => step.state === 'done').map((step) => step.id));
  state.steps = work.map(({ id, title }) => ({
    id,
    title,
    state: done.has(id) ? 'done' : 'waiting',
    message: '',
  }));
  const tell = async () => {
    await writeState(order.runFolder, state);
    order.onProgress?.(state.steps);
  };
  for (const [i, piece] of work.entries()) {
    const step = state.steps[i];
    if (!step || step.state === 'done') continue;
    order.signal.throwIfAborted();
    step.state = 'running';
    await tell();
    try {
      await piece.run();
      step.state = 'done';
      await tell();
    } catch (error) {
      step.state = 'failed';
      step.message = error instanceof Error ? error.message : String(error);
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') await tell();
      throw setupFailure(step, error);
    }
  }
  state.protectedHashes ??= await hashProtected(order.files, root, order.spec.protected);
  await writeState(order.runFolder, state);
  return { root, steps: state.steps, protectedHashes: state.protectedHashes };
}

/** Hashes taken when the workspace was prepared. @throws WaymarkError `not_found` before that */
export async function readProtectedHashes(runFolder: string): Promise<ProtectedHashes> {
  const { protectedHashes } = await readState(runFolder);
  if (protectedHashes) return protectedHashes;
  throw new WaymarkError(
    'not_found',
    `The workspace in ${runFolder} was never prepared. Start the run again.`,
  );
}

function setupFailure(step: SetupStep, error: unknown): unknown {
  if (error instanceof WaymarkError && error.code === 'cancelled') return error;
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') {
    return new WaymarkError(
      'disk_full',
      `The disk is full at the set-up step "${step.title}". Free space and resume.`,
    );
  }
  return new WaymarkError(
    'refused',
    `The set-up step "${step.title}" failed: ${step.message} Mend it and resume.`,
  );
}

interface Piece {
  id: string;
  title: string;
  run(): Promise<void>;
}

function plan(order: ResetOrder, root: string, entries: readonly PackageEntry[]): Piece[] {
  const { packageFolder, spec } = order;
  const pieces: Piece[] = [];
  const copy = (from: string, to: string) => ({
    id: `copy:${from}:${to}`,
    title: `Copy ${from} to ${to}`,
    run: () => copyPart(packageFolder, entries, from, join(root, to)),
  });
  for (const folder of ['task', 'data']) {
    if (entries.some((entry) => entry.path.startsWith(`${folder}/`))) pieces.push(copy(folder, folder));
  }
  pieces.push({
    id: 'outputs',
    title: 'Make data/outputs',
    run: async () => void (await mkdir(join(root, 'data/outputs'), { recursive: true })),
  });
  for (const computer of spec.computers.filter((c) => c.host === 'local' && !c.evaluator)) {
    pieces.push(...computer.setup.copy.map(({ from, to }) => copy(from, to)));
    pieces.push(...computer.setup.link.map(({ from, to }) => linkPiece(from, to, root)));
    pieces.push(
      ...computer.setup.environment.map((line, i) => environmentPiece(order, computer, root, line, i)),
    );
  }
  return pieces;
}

function linkPiece(from: string, to: string, root: string): Piece {
  return {
    id: `link:${from}:${to}`,
    title: `Link ${to} to ${from}`,
    run: async () => {
      try {
        await access(from);
      } catch (error) {
        throw new Error(
          `${from} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}).`,
        );
      }
      const target = join(root, to);
      await mkdir(dirname(target), { recursive: true });
      await rm(target, { recursive: true, force: true });
      await symlink(from, target);
    },
  };
}

function environmentPiece(
  order: ResetOrder,
  computer: ComputerSpec,
  root: string,
  line: string,
  index: number,
): Piece {
  return {
    id: `environment:${computer.name}:${index}:${line}`,
    title: `Run ${line}`,
    run: async () => {
      const ended = await runProcess({
        command: line,
        cwd: root,
        env: { HOME: process.env.HOME ?? root, ...computer.setup.variables },
        timeoutMs: ENVIRONMENT_TIMEOUT,
        signal: order.signal,
      });
      await writeFile(join(order.runFolder, `setup-${computer.name}-${index + 1}.log`), ended.output);
      if (ended.ended === 'exit' && ended.exitCode === 0) return;
      const tail = ended.output.trim().split('\n').slice(-5).join('\n');
      throw new Error(`exit code ${ended.exitCode ?? ended.ended}. ${tail}`);
    },
  };
}

/** Copies a file or folder of the package; the target appears whole or not at all. */
async function copyPart(
  packageFolder: string,
  entries: readonly PackageEntry[],
  from: string,
  target: string,
): Promise<void> {
  const bare = from.replace(/\/+$/, '');
  const single = entries.find((entry) => entry.path === bare);
  const below = entries.filter((entry) => entry.path.startsWith(`${bare}/`));
  const draft = join(dirname(target), `.waymark-${bare.replaceAll('/', '-')}.partial`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(dirname(target), { recursive: true });
  if (single) {
    await copyEntries(join(packageFolder, dirname(bare)), [{ ...single, path: baseName(bare) }], draft);
    await rm(target, { recursive: true, force: true });
    await rename(join(draft, baseName(bare)), target);
    await rm(draft, { recursive: true, force: true });
    return;
  }
  if (below.length === 0) throw new Error(`${from} is not in the package.`);
  const source = join(packageFolder, bare);
  if (!isInside(packageFolder, source)) throw new Error(`${from} leaves the package.`);
  await copyEntries(
    source,
    below.map((entry) => ({ ...entry, path: entry.path.slice(bare.length + 1) })),
    draft,
  );
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function readState(runFolder: string): Promise<SetupState> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(join(runFolder, SETUP_FILE), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { steps: [], protectedHashes: null };
    throw new WaymarkError(
      'refused',
      `${join(runFolder, SETUP_FILE)} cannot be read. Start the run again.`,
      String(error),
    );
  }
}

async function writeState(runFolder: string, state: SetupState): Promise<void> {
  const path = join(runFolder, SETUP_FILE);
  await writeFile(`${path}.partial`, `${JSON.stringify(state, null, 2)}\n`);
  await rename(`${path}.partial`, path);
}
