import { actionNames } from '@shared/contract/task';
import type { ActionDefinition } from './action';
import { runCommand } from './command/run-command';
import { closeAllSessions, closeSession, createSession, listSessions } from './command/session-list';
import {
  clearSessionBuffer,
  getSessionOutput,
  getSessionRecentOutput,
  inputInSession,
} from './command/session-output';
import { checkSessionIdle, getSessionStatus, killSessionProcesses } from './command/session-state';
import { createFile, editFile } from './file/change-file';
import { findFile, listFiles, searchDir, searchFile } from './file/find-in-files';
import { fileGotoLine, fileScrollDown, fileScrollUp, getFileInfo, openFile } from './file/view-file';
import { evaluateWorkspace } from './special/evaluate';
import { sleep } from './special/sleep';
import { finish, think, viewHint } from './special/think';
import type { ActionTaskView } from './task-view';

/** Every action there is, by family; the order in which they are offered. */
export const actionTable: readonly ActionDefinition[] = [
  createSession,
  listSessions,
  runCommand,
  inputInSession,
  getSessionOutput,
  getSessionRecentOutput,
  getSessionStatus,
  checkSessionIdle,
  clearSessionBuffer,
  closeSession,
  closeAllSessions,
  killSessionProcesses,
  openFile,
  fileGotoLine,
  fileScrollDown,
  fileScrollUp,
  getFileInfo,
  createFile,
  editFile,
  searchDir,
  searchFile,
  findFile,
  listFiles,
  think,
  sleep,
  evaluateWorkspace,
  viewHint,
  finish,
];

/** The actions of a task, by name, in the table's order. */
export function offeredActions(task: ActionTaskView): Map<string, ActionDefinition> {
  const wanted = new Set<string>(task.tools);
  if (task.taskHint.mode !== 'tool') wanted.delete('view_hint');
  return new Map(actionTable.filter(({ name }) => wanted.has(name)).map((action) => [action.name, action]));
}

/** Names a task may write that this version does not carry out yet. */
export const unsupportedActions: readonly string[] = actionNames.filter(
  (name) => !actionTable.some((action) => action.name === name),
);
