import { join } from 'node:path';

/** `<workspace>/checkpoints/<run>`: copies of the agent's files on this machine. */
export function checkpointsFolder(workspace: string, run: string): string {
  return join(workspace, 'checkpoints', run);
}
