import type { ActionTaskView, ShownFolder } from './task-view';
import { isInside } from './workspace-files';

const changing = new Set(['create_file', 'edit_file']);

/** The shown folder that a path without `..` lies in. */
export function shownFolderOf(
  path: string,
  { shown }: Pick<ActionTaskView, 'shown'>,
): ShownFolder | undefined {
  return path.split('/').includes('..') ? undefined : shown.find((folder) => isInside(path, folder.path));
}

/** File actions read shown folders as the sessions do, and change nothing there: revisions are kept of the workspace alone. */
export function whyNotInShown(action: string, path: string, task: ActionTaskView): string | null {
  const folder = shownFolderOf(path, task);
  if (folder === undefined || !changing.has(action)) return null;
  return folder.write
    ? `${path} lies in ${folder.path}, where file actions only read. Change it with run_command, or write inside ${task.workspaceRoot}.`
    : `${path} lies in ${folder.path}, which is shown to you read-only. Copy what you need into ${task.workspaceRoot}.`;
}
