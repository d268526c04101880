import { join } from 'node:path';

/** `<workspace>/runs/<run>`: the agent's files, evaluations and heartbeat of one run. */
export function runFolder(workspace: string, run: string): string {
  return join(workspace, 'runs', run);
}
