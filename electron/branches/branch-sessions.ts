import { posix } from 'node:path';
import type { CheckpointView } from '@shared/contract/checkpoint-views';
import type { TaskSpec } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { SessionError } from '../computer/failures';
import type { Computer, SessionInfo } from '../computer/port';
import type { Ground } from '../runs/start/ground';

export interface OpenAgainOrder {
  checkpoint: CheckpointView | null;
  created: EventBody<'run.created'>;
  computers: ReadonlyMap<string, Computer>;
  ground: Ground;
  spec: TaskSpec;
}

/**
 * Opens fresh shells for the sessions of a checkpoint: same names, variables and size, where they stood, as far as that
 * directory is there. Nothing that ran in them is started again. @throws ComputerUnavailable, SessionError
 */
export async function openAgain(order: OpenAgainOrder): Promise<EventBody<'session.opened'>[]> {
  const { checkpoint, created, computers, ground, spec } = order;
  const opened: EventBody<'session.opened'>[] = [];
  for (const { computer: name, session, cwd, rows, cols } of checkpoint?.sessions ?? []) {
    const computer = computers.get(name);
    if (computer === undefined) continue;
    const root = ground.probed?.computers.find((each) => each.name === name)?.root ?? ground.root;
    const env = spec.computers.find((each) => each.name === name)?.setup.variables ?? {};
    const place = moved(cwd, created.workspaceRoot, root);
    const make = (at: string) => computer.sessions.create({ name: session, cwd: at, env, rows, cols });
    const { id } = await createAt(make, place, root);
    opened.push({ computer: name, session, uid: id, rows, cols });
  }
  return opened;
}

async function createAt(
  make: (cwd: string) => Promise<SessionInfo>,
  place: string,
  root: string,
): Promise<SessionInfo> {
  try {
    return await make(place);
  } catch (error) {
    if (error instanceof SessionError && error.reason === 'cwd_missing' && place !== root) return make(root);
    throw error;
  }
}

/** The same place in the new workspace; places outside of the old one stay. */
function moved(path: string, from: string, to: string): string {
  if (path !== from && !path.startsWith(`${from}/`)) return path;
  return posix.join(to, path.slice(from.length));
}
