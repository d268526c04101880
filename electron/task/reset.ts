import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { TaskSpec } from '@shared/contract/task';
import { z } from 'zod';
import { writeAtomically } from '../base/atomic-file';
import { FileError } from '../computer/failures';
import { listPackage } from './package-files';
import { hashProtected, type ProtectedHashes } from './protected';
import type { Attempt, AttemptMemory, Site } from './site';

export interface ResetOrder {
  spec: TaskSpec;
  /** The pinned copy of the package. */
  packageFolder: string;
  /** The run's folder on this machine, `<workspace>/runs/<run>`. */
  runFolder: string;
  /**
   * The computers to prepare, the holder of the workspace first. A computer that sees the holder's workspace has a
   * site only for its own set-up, with `shares`.
   */
  sites: readonly { site: Site; shares: boolean }[];
  signal: AbortSignal;
  /** Called whenever a step's state changes, with all steps in order. */
  onProgress?: (steps: readonly SetupStep[]) => void | Promise<void>;
  /** Does a piece of work; comes back from broken links by doing it again. Default: once. */
  attempt?: <T>(work: () => Promise<T>) => Promise<T>;
}

const attemptSchema = z.object({ session: z.string(), command: z.int().positive() });
const stepSchema = z.object({
  id: z.string(),
  title: z.string(),
  computer: z.string().default(''),
  state: z.enum(['waiting', 'running', 'done', 'failed']),
  message: z.string().default(''),
  /** The command that was handed to a session for this step and may still run. */
  attempt: attemptSchema.nullable().default(null),
});
/** One visible piece of the preparation. */
export type SetupStep = z.infer<typeof stepSchema>;

export interface PreparedWorkspace {
  /** Of the computer that holds the workspace. */
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

/**
 * Prepares a run's workspace on its computers: `task/` and `data/` of the package, each computer's set-up steps,
 * hashes of protected files. Steps that are done stay done, so a second call goes on where the first one stopped;
 * one that finds everything done asks no computer for anything.
 * @throws WaymarkError `refused` naming the step that failed, `disk_full`, `cancelled`
 */
export async function prepareWorkspace(order: ResetOrder): Promise<PreparedWorkspace> {
  const attempt = order.attempt ?? ((work) => work());
  const holder = order.sites[0]?.site;
  if (!holder) throw new WaymarkError('bug', 'A workspace is prepared on at least one computer.');
  await mkdir(order.runFolder, { recursive: true });
  const state = await readState(order.runFolder);
  const work = await plan(order);
  const before = new Map(state.steps.map((step) => [step.id, step]));
  state.steps = work.map(({ id, title, site }) => ({
    id,
    title,
    computer: site.computer.name,
    message: '',
    state: before.get(id)?.state === 'done' ? 'done' : 'waiting',
    attempt: before.get(id)?.attempt ?? null,
  }));
  const progress = new Progress(order, state);
  const begun = new Set<Site>();
  for (const [i, piece] of work.entries()) {
    const step = state.steps[i];
    if (!step || step.state === 'done') continue;
    order.signal.throwIfAborted();
    await progress.change(step, 'running');
    try {
      if (!begun.has(piece.site)) await attempt(() => piece.site.begin());
      begun.add(piece.site);
      await attempt(() => piece.run(progress.memory(step)));
      step.attempt = null;
      await progress.change(step, 'done');
    } catch (error) {
      await progress.failed(step, error);
      throw setupFailure(step, error);
    }
  }
  for (const site of begun) await attempt(() => site.finish());
  state.protectedHashes ??= await attempt(() =>
    hashProtected(holder.files, holder.root, order.spec.protected),
  );
  await writeState(order.runFolder, state);
  return { root: holder.root, steps: state.steps, protectedHashes: state.protectedHashes };
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

/**
 * For a run whose workspace was made from another run's: what was done for that one on `computers` is done, and the protected
 * files are to be as they were there. Folders of the two runs on this machine.
 * @throws WaymarkError refused when the other run's workspace was never prepared here
 */
export async function inheritPreparation(
  from: string,
  to: string,
  computers: ReadonlySet<string>,
): Promise<void> {
  const { steps, protectedHashes } = await readState(from);
  if (protectedHashes === null) {
    throw new WaymarkError(
      'refused',
      `What was prepared for the run in ${from} is no longer known here, so its workspace cannot be inherited.`,
    );
  }
  const done = steps.filter(({ state, computer }) => state === 'done' && computers.has(computer));
  await mkdir(to, { recursive: true });
  await writeState(to, { steps: done.map((step) => ({ ...step, attempt: null })), protectedHashes });
}

/** Keeps the file of the steps and tells who watches. */
class Progress {
  constructor(
    private readonly order: ResetOrder,
    private readonly state: SetupState,
  ) {}

  async change(step: SetupStep, to: SetupStep['state']): Promise<void> {
    step.state = to;
    await writeState(this.order.runFolder, this.state);
    await this.order.onProgress?.(this.state.steps);
  }

  async failed(step: SetupStep, error: unknown): Promise<void> {
    step.message = error instanceof Error ? error.message : String(error);
    if (isFullHere(error)) step.state = 'failed';
    else await this.change(step, 'failed');
  }

  memory(step: SetupStep): AttemptMemory {
    return {
      read: () => step.attempt,
      write: async (attempt: Attempt | null) => {
        step.attempt = attempt;
        await writeState(this.order.runFolder, this.state);
      },
    };
  }
}

/** The disk of this machine: the file of the steps cannot be written either. */
const isFullHere = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOSPC';

function setupFailure(step: SetupStep, error: unknown): unknown {
  if (error instanceof WaymarkError && error.code === 'cancelled') return error;
  if (isFullHere(error) || (error instanceof FileError && error.reason === 'no_space')) {
    return new WaymarkError(
      'disk_full',
      `The disk of ${step.computer} is full at the set-up step "${step.title}". Free space and resume.`,
    );
  }
  return new WaymarkError(
    'refused',
    `The set-up step "${step.title}" on ${step.computer} failed: ${step.message} Fix it and resume.`,
  );
}

interface Piece {
  id: string;
  title: string;
  site: Site;
  run(memory: AttemptMemory): Promise<void>;
}

async function plan({ packageFolder, sites }: ResetOrder): Promise<Piece[]> {
  const { entries } = await listPackage(packageFolder);
  const tops = ['task', 'data'].filter((top) => entries.some(({ path }) => path.startsWith(`${top}/`)));
  return sites.flatMap(({ site, shares }) => [
    ...(shares ? [] : workspacePieces(site, tops)),
    ...ownPieces(site),
  ]);
}

function workspacePieces(site: Site, tops: readonly string[]): Piece[] {
  return [
    ...tops.map((top) => copyPiece(site, top, top)),
    {
      id: `${site.prefix}outputs`,
      title: 'Make data/outputs',
      site,
      run: () => site.makeFolder('data/outputs'),
    },
  ];
}

/** What the task asks for on this computer. */
function ownPieces(site: Site): Piece[] {
  const { name, setup } = site.computer;
  return [
    ...setup.copy.map(({ from, to }) => copyPiece(site, from, to)),
    ...setup.link.map(({ from, to }) => ({
      id: `${site.prefix}link:${from}:${to}`,
      title: `Link ${to} to ${from}`,
      site,
      run: () => site.link(from, to),
    })),
    ...setup.environment.map((line, i) => ({
      id: `${site.prefix}environment:${name}:${i}:${line}`,
      title: `Run ${line}`,
      site,
      run: (memory: AttemptMemory) => site.run(line, i + 1, memory),
    })),
  ];
}

function copyPiece(site: Site, from: string, to: string): Piece {
  return {
    id: `${site.prefix}copy:${from}:${to}`,
    title: `Copy ${from} to ${to}`,
    site,
    run: () => site.copy(from, to),
  };
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
  await writeAtomically(join(runFolder, SETUP_FILE), `${JSON.stringify(state, null, 2)}\n`);
}
