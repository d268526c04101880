import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import { type ComputerSpec, type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { FileError } from '../../computer/failures';
import { type Hosts, isHost } from '../../computer/hosts';
import type { Computer } from '../../computer/port';
import { gpuScript } from '../../computer/ssh/gpu';
import { gpuProblem } from '../../task/gpu-check';
import { workspaceRoot } from '../../task/local-site';
import { runProcess } from '../../task/run-process';
import { reach } from './connect';

/** Where a run's workspace is, found out before the run exists: its prompt and its log name it from the first event. */
export interface Ground {
  /** On the computer that holds the workspace. */
  root: string;
  /** Null where there is one computer only. */
  probed: EventBody<'workspace.probed'> | null;
}

export interface GroundOrder {
  run: string;
  /** `<workspace>/runs/<run>` on this machine. */
  folder: string;
  spec: TaskSpec;
  computers: ReadonlyMap<string, Computer>;
  hosts: Hosts;
}

/** How long nvidia-smi may take: waking cards that sleep takes seconds, ms. */
const gpuMs = 60_000;
const probeBytes = 32;

/**
 * Connects to every host of the run, compares GPUs with what the task asks for, chooses the folders and proves by a
 * random file whether the computers see one workspace.
 * @throws WaymarkError task_unsupported, refused; ComputerUnavailable: nothing was created then, and empty folders
 * that were made are gone again
 */
export async function layGround(order: GroundOrder): Promise<Ground> {
  const { spec, computers, hosts } = order;
  await Promise.all([...computers.values()].filter(isHost).map((host) => reach(hosts, host)));
  await Promise.all(spec.computers.map((computer) => checkGpus(computer, known(computers, computer.name))));
  const usable = spec.computers.filter(({ evaluator }) => !evaluator);
  const holder = workspaceHolder(spec);
  const roots = new Map<string, string>();
  for (const { name } of usable) roots.set(name, await rootOn(order, known(computers, name)));
  const root = roots.get(holder.name) ?? '';
  const made = await makeRoot(order, known(computers, holder.name), root);
  try {
    if (usable.length === 1) return { root, probed: null };
    const others = usable.filter(({ name }) => name !== holder.name);
    const probed = await probe(order, holder.name, root, others, roots);
    refuseUnshared(spec, holder.name, probed);
    for (const { name, root: own } of probed.computers) {
      if (own !== undefined) await makeRoot(order, known(computers, name), own);
    }
    return { root, probed };
  } catch (error) {
    // What went wrong before is what the person has to hear; an empty folder that stays does no harm.
    const { files } = known(computers, holder.name);
    if (made) await files.remove(root, { recursive: true }).catch(() => undefined);
    throw error;
  }
}

async function checkGpus(spec: ComputerSpec, computer: Computer): Promise<void> {
  if (spec.gpus === null) return;
  const answer = isHost(computer)
    ? await computer.exec(gpuScript, { timeoutMs: gpuMs })
    : await runProcess({
        command: gpuScript,
        cwd: '/',
        env: {},
        timeoutMs: gpuMs,
        signal: new AbortController().signal,
      });
  const problem = gpuProblem(spec, answer);
  if (problem === null) return;
  const where = isHost(computer) ? `The host ${computer.alias}` : 'This computer';
  throw new WaymarkError(
    'task_unsupported',
    `${where}, chosen as ${spec.name}, ${problem}. Choose another computer, or change computers[].gpus in task.yaml.`,
  );
}

/** The folder a computer would work in on its own. */
async function rootOn({ spec, run, folder }: GroundOrder, computer: Computer): Promise<string> {
  if (!isHost(computer)) return workspaceRoot(folder);
  if (spec.workspace.root !== null) return spec.workspace.root.replace(/(?<=.)\/+$/, '');
  const { homeDir } = await computer.probe();
  return homeDir + hostFolder(run);
}

/** Below the user's home on a host; begins with a slash. */
export const hostFolder = (run: string) => `/waymark/runs/${run}`;

/** Whether Waymark made the folder on a host, for that run alone: what was read may be deleted only then. */
export function isHostFolder(folder: string, run: string): boolean {
  return (
    isId(run) &&
    folder.startsWith('/') &&
    folder.endsWith(hostFolder(run)) &&
    !folder.split('/').some((name) => name === '..' || name === '.')
  );
}

/** True when the folder was not there before. @throws WaymarkError refused for a folder of the task's that is in use */
async function makeRoot({ spec }: GroundOrder, computer: Computer, root: string): Promise<boolean> {
  const there = await computer.files.stat(root);
  if (there && isHost(computer) && spec.workspace.root !== null) {
    const inside = there.kind === 'directory' ? await computer.files.list(root, { hidden: true }) : null;
    if (inside === null || inside.length > 0) {
      throw new WaymarkError(
        'refused',
        `The folder ${root} on ${computer.alias}, which the task asks for, is not empty. Empty it first, or leave workspace.root out of task.yaml: then each run gets a folder of its own.`,
      );
    }
  }
  if (!there) await computer.files.makeDirectory(root);
  return !there;
}

/** A random file that the holder writes is looked for on the others, and its content compared. */
async function probe(
  { computers }: GroundOrder,
  holder: string,
  root: string,
  others: readonly ComputerSpec[],
  roots: ReadonlyMap<string, string>,
): Promise<EventBody<'workspace.probed'>> {
  const path = posix.join(root, `.waymark-probe-${randomBytes(8).toString('hex')}`);
  const content = randomBytes(probeBytes);
  const { files } = known(computers, holder);
  await files.write(path, content);
  try {
    const found = await Promise.all(
      others.map(async ({ name }) => {
        const message = await sight(known(computers, name), path, content);
        const own = roots.get(name);
        const elsewhere = message === null || own === undefined ? {} : { root: own };
        return {
          name,
          sees: message === null,
          message: message ?? `sees ${root} of ${holder}`,
          ...elsewhere,
        };
      }),
    );
    return { root, shared: found.every(({ sees }) => sees), computers: found };
  } finally {
    await files.remove(path);
  }
}

/** Why the computer does not see the file; null when it does. */
async function sight(computer: Computer, path: string, content: Uint8Array): Promise<string | null> {
  const folder = posix.dirname(path);
  try {
    const { bytes } = await computer.files.read(path, { maxBytes: probeBytes });
    return Buffer.from(bytes).equals(content) ? null : `has another file at ${path}`;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const there = await computer.files.stat(folder).catch((problem: unknown) => {
      // A folder that may not be looked at is none to it; a link that broke says nothing about the workspace.
      if (problem instanceof FileError) return undefined;
      throw problem;
    });
    return there ? `has a folder of its own at ${folder}` : `has no folder ${folder}`;
  }
}

function refuseUnshared(spec: TaskSpec, holder: string, probed: EventBody<'workspace.probed'>): void {
  if (probed.shared || !spec.workspace.shared || spec.workspace.unshared === 'name_computer') return;
  const blind = probed.computers.filter(({ sees }) => !sees);
  const why = blind.map(({ name, message }) => `${name} ${message}`).join('; ');
  throw new WaymarkError(
    'refused',
    `The computers of task ${spec.id} do not share the workspace ${probed.root} of ${holder}: ${why}. Mount it there under the same path, or set workspace.unshared to name_computer in task.yaml.`,
  );
}

function known(computers: ReadonlyMap<string, Computer>, name: string): Computer {
  const computer = computers.get(name);
  if (computer) return computer;
  throw new WaymarkError('bug', `The computer ${name} of the task was not connected.`);
}
