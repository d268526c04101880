import type { EventOf } from '@shared/log/events';
import { commandName } from '@shared/shell/shell-command';
import type { EventFacts } from './rule';
import type { RuleTask } from './rule-task';
import { shellTouches } from './shell-edits';

/** Commands of which the text tells all that they change. */
const TOLD: ReadonlySet<string> = new Set(
  'cp mv rm rmdir rsync tar zip gzip mkdir touch chmod chown ln tee cat echo printf sed cd export install unlink truncate true'.split(
    ' ',
  ),
);
/** They change no content that an evaluation could read. */
const EMPTY: ReadonlySet<string> = new Set('mkdir touch chmod chown cd export true sleep'.split(' '));

/** The kinds of events with which an evaluation's input can change. */
export const inputKinds = ['file.changed', 'session.rested', 'action.observed'] as const;
type InputEvent = EventOf<(typeof inputKinds)[number]>;

/**
 * Whether something that an evaluation reads may have changed with this event. Programs may write anything, so they
 * count; looking, making folders and copying elsewhere do not.
 */
export function mayChangeInputs(event: InputEvent, facts: EventFacts, task: RuleTask): boolean {
  if (event.kind === 'file.changed') return task.evaluated(event.body.path);
  if (event.kind === 'session.rested') return facts.jobs.length > 0;
  const { name, ok, data } = event.body;
  switch (name) {
    case 'create_file':
    case 'edit_file':
      return ok && (typeof data.path !== 'string' || task.evaluated(data.path));
    case 'run_command':
      return facts.command !== null && commandChanges(facts, task);
    case 'input_in_session':
    case 'parse_pdf':
    case 'parse_docx':
    case 'parse_latex':
    case 'parse_pptx':
      return ok;
    default:
      // What runs beside the steps may write at any time.
      return facts.jobs.length > 0;
  }
}

function commandChanges({ command, jobs }: EventFacts, task: RuleTask): boolean {
  if (command === null) return false;
  if (command.looksOnly) return jobs.length > 0;
  const names = command.simples.map(commandName);
  if (names.every((name) => EMPTY.has(name))) return jobs.length > 0;
  if (!names.every((name) => TOLD.has(name) || name === '')) return true;
  return (
    jobs.length > 0 ||
    shellTouches(command.text).some(
      ({ kind, path, placed }) => kind !== 'look' && (!placed || task.evaluated(path)),
    )
  );
}
