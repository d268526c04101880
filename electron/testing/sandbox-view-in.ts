import { join } from 'node:path';
import type { SandboxView } from '../computer/local/sandbox/sandbox-view';

/** What a run named `one` sees whose workspace is at `root`: its own folders, and the network. */
export function sandboxViewIn(root: string): SandboxView {
  const run = join(root, 'runs', 'one');
  return {
    work: join(run, 'work'),
    home: join(run, 'home'),
    temporary: join(run, 'tmp'),
    folders: [],
    network: true,
  };
}
