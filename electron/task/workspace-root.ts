import { join } from 'node:path';

/** Where the agent works on the local computer. `runFolder`: `<workspace>/runs/<run>`. */
export function workspaceRoot(runFolder: string): string {
  return join(runFolder, 'work');
}
