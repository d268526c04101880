import type { EventOf } from '../../log/events';
import type { Detector, DetectorFinding } from './detector';
import { placeOf } from './own-jobs';

/** Sessions that are watched at once; the one read longest ago goes first. */
const MOST = 64;

interface Busy {
  computer: string;
  session: string;
  /** Step of the last look at it. */
  read: number;
  told: boolean;
}
type State = Record<string, Busy>;

/** What runs there may still come to an end that nobody sees; what is unknown is busy. */
const WORKING: ReadonlySet<unknown> = new Set(['busy', 'waiting', 'interactive']);

export const forgottenSession: Detector<State> = {
  id: 'forgotten_session',
  version: 1,
  text: 'A session was busy when the agent last looked, and it has not looked for 50 steps (or what the task says).',
  citation: 'InnovatorBench §5.4, resource mismanagement: a job not remembered after more than 50 steps',
  parameters: { sessions: MOST },
  start: () => ({}),
  look(state, event, { step, rules }) {
    switch (event.kind) {
      case 'session.ended':
        return drop(state, `${event.body.computer}:${event.body.session}`);
      case 'action.observed':
        return observed(state, event);
      case 'model.answered':
        return event.body.kind === 'summary' ? [] : overdue(state, step, rules.forgottenAfterSteps);
      default:
        return [];
    }
  },
};

function observed(state: State, event: EventOf<'action.observed'>): DetectorFinding[] {
  const { step, data, name } = event.body;
  if (name === 'list_sessions') return listed(state, data.computers, step);
  const place = placeOf(data);
  if (place === null) return [];
  const key = `${place.computer}:${place.session}`;
  const findings = drop(state, key);
  if (WORKING.has(data.state)) {
    state[key] = { ...place, read: step, told: false };
    const keys = Object.keys(state);
    if (keys.length > MOST) {
      const oldest = keys.reduce((a, b) => ((state[a]?.read ?? 0) <= (state[b]?.read ?? 0) ? a : b));
      delete state[oldest];
    }
  }
  return findings;
}

/** The list says of every session what it does: that is a look. */
function listed(state: State, computers: unknown, step: number): DetectorFinding[] {
  const looked: unknown[] = Array.isArray(computers) ? computers : [];
  return Object.entries(state).flatMap(([key, busy]) => {
    if (!looked.includes(busy.computer)) return [];
    const findings = drop(state, key);
    state[key] = { ...busy, read: step, told: false };
    return findings;
  });
}

function overdue(state: State, step: number, after: number): DetectorFinding[] {
  return Object.entries(state).flatMap(([key, busy]) => {
    if (busy.told || step - busy.read < after) return [];
    busy.told = true;
    return [found(key, busy, after, true)];
  });
}

function drop(state: State, key: string): DetectorFinding[] {
  const busy = state[key];
  delete state[key];
  return busy?.told === true ? [found(key, busy, null, false)] : [];
}

function found(key: string, busy: Busy, after: number | null, open: boolean): DetectorFinding {
  const { computer, session, read } = busy;
  const facts: DetectorFinding['facts'] = { computer, session, ...(after === null ? {} : { count: after }) };
  return { key: `${key} ${read}`, step: read, steps: [read], facts, open };
}
