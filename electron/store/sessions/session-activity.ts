import type { SessionView } from '@shared/contract/views';
import type { EventBody } from '@shared/log/events';
import { titleFromText } from '../projections/step-title';

type State = SessionView['state'];

const states: ReadonlySet<string> = new Set<State>([
  'idle',
  'busy',
  'waiting',
  'interactive',
  'ended',
  'lost',
]);

/** What an observation says about the session it names. Null: nothing. */
export function sessionActivity({ ok, data }: Pick<EventBody<'action.observed'>, 'ok' | 'data'>): {
  state: State | null;
  command: string | null;
} {
  const { command, state, exitCode } = data;
  const known = typeof state === 'string' && states.has(state) ? (state as State) : null;
  const inferred = typeof exitCode === 'number' ? 'idle' : ok && data.async === true ? 'busy' : null;
  return {
    state: known ?? inferred,
    command: typeof command === 'string' ? titleFromText(command) : null,
  };
}
