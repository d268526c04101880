import type { EventName } from '../ipc';

/** Whose events they are: of the workspace that is shown, or of the window and this machine. */
export const eventPlaces = {
  'run.changed': 'workspace',
  'run.listChanged': 'workspace',
  'labels.changed': 'workspace',
  'search.progress': 'workspace',
  'hints.changed': 'workspace',
  'live.delta': 'workspace',
  'live.session': 'workspace',
  'session.changed': 'workspace',
  'session.grew': 'workspace',
  'workspace.problem': 'workspace',
  'workspace.unreadable': 'workspace',
  'approval.asked': 'workspace',
  'attention.changed': 'workspace',
  'attention.open': 'workspace',
  'computers.changed': 'window',
  'computer.stage': 'window',
  'prompts.changed': 'window',
  'own.changed': 'window',
  'own.left': 'window',
  'workspace.changed': 'window',
  'settings.changed': 'window',
  'remote.changed': 'window',
  'power.changed': 'window',
  'import.progress': 'window',
  'export.progress': 'window',
  'datasets.changed': 'workspace',
  'judge.changed': 'workspace',
  'menu.command': 'window',
} as const satisfies Record<EventName, 'workspace' | 'window'>;

/** Events a server tells. */
export type WorkspaceEvent = {
  [E in EventName]: (typeof eventPlaces)[E] extends 'workspace' ? E : never;
}[EventName];
