import { realpathSync } from 'node:fs';
import { WaymarkError } from '@shared/contract/errors';
import { type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import { systemCode } from '../../store/file/database';
import { workspaceRoot } from '../../task/local-site';

/**
 * On this machine a run works below its workspace, and its context names that folder. Where the workspace has been moved or copied
 * since, the folder in the log is another one, or none, and nothing is to be made or changed there.
 * @param folder `<workspace>/runs/<run>` now @throws WaymarkError refused
 */
export function refuseMovedRun(
  spec: TaskSpec,
  created: EventBody<'run.created'>,
  probed: EventBody<'workspace.probed'> | null,
  folder: string,
): void {
  const now = workspaceRoot(folder);
  const holder = workspaceHolder(spec).name;
  for (const { name, kind } of created.computers) {
    if (kind !== 'local') continue;
    const own = probed?.computers.find((each) => each.name === name)?.root;
    const before = name === holder ? created.workspaceRoot : own;
    if (before === undefined || before === now || isSame(before, now)) continue;
    throw new WaymarkError(
      'refused',
      `Run "${created.title}" works in ${before}, which is what its context says, but its workspace has been moved or copied since: that folder would be ${now} now. Move the workspace back, or make a branch, which gets a folder of its own.`,
    );
  }
}

/** Reached by two names, through a link. */
function isSame(before: string, now: string): boolean {
  try {
    return realpathSync(before) === realpathSync(now);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') return false;
    throw thrown;
  }
}
