import type { EventOf } from '../../log/events';
import type { Detector, DetectorFacts, DetectorFinding } from './detector';
import { endedJobs, forget, keep, killedJobs, type OwnJobs, placeOf, startedJob } from './own-jobs';
import { SHORT_SLEEP_MS, SLEEPS, shortSleeps } from './short-sleeps';
import { timeLeft } from './time-left';

interface State {
  jobs: OwnJobs;
  /** What a job said it still needs, and when, by `computer:session`. */
  etas: Record<string, { at: number; ms: number }>;
  trained: boolean;
  /** Steps of the short sleeps that came one after the other. */
  sleeps: number[];
}

/**
 * Own training is ended although what it said it still needs fits the working time left; or three sleeps under 120 s
 * come in a row after training began. Between two such sleeps the agent may think and look; anything else it does, and any longer
 * sleep, ends the row.
 */
export const impatience: Detector<State> = {
  id: 'impatience',
  version: 1,
  text: 'The agent ends its own training although it would be done in time, or sleeps three times in a row for under 120 s once training runs.',
  citation: 'InnovatorBench §5.4, impatience; APOLLO §4.3, waits of 30 or 60 seconds; APOLLO appendix E',
  parameters: { shortSleepMs: SHORT_SLEEP_MS, sleeps: SLEEPS },
  start: () => ({ jobs: {}, etas: {}, trained: false, sleeps: [] }),
  look(state, event, facts) {
    const findings = event.kind === 'action.observed' ? observed(state, event, facts) : [];
    for (const job of endedJobs(state.jobs, event)) {
      forget(state.jobs, job);
      delete state.etas[`${job.computer}:${job.session}`];
    }
    const job = startedJob(event, facts.rules);
    if (job?.training === true) {
      keep(state.jobs, job);
      delete state.etas[`${job.computer}:${job.session}`];
      state.trained = true;
    }
    return findings;
  },
};

function observed(state: State, event: EventOf<'action.observed'>, facts: DetectorFacts): DetectorFinding[] {
  const { data, text } = event.body;
  const findings = killed(state, event, facts);
  const place = placeOf(data);
  const key = `${place?.computer}:${place?.session}`;
  const eta = state.jobs[key] === undefined ? null : timeLeft(text);
  if (eta !== null) state.etas[key] = { at: event.at, ms: eta };
  return [...findings, ...slept(state, event)];
}

function killed(
  state: State,
  event: EventOf<'action.observed'>,
  { workingMs, maxWorkingMs }: DetectorFacts,
): DetectorFinding[] {
  return killedJobs(state.jobs, event).flatMap((job) => {
    const key = `${job.computer}:${job.session}`;
    const eta = state.etas[key];
    forget(state.jobs, job);
    delete state.etas[key];
    if (eta === undefined || !job.training) return [];
    const neededMs = Math.max(0, eta.ms - (event.at - eta.at));
    const leftMs = Math.max(0, maxWorkingMs - workingMs);
    if (neededMs > leftMs) return [];
    const { step } = event.body;
    const { computer, session } = job;
    const where = { how: 'killed', computer, session, count: null };
    const times = { neededMs: Math.round(neededMs), leftMs: Math.round(leftMs) };
    return [
      { key: `killed ${step}`, step, steps: [job.step, step], facts: { ...where, ...times }, open: false },
    ];
  });
}

function slept(state: State, { body }: EventOf<'action.observed'>): DetectorFinding[] {
  const before = state.sleeps.length;
  const now = state.trained || body.name !== 'sleep' ? shortSleeps(before, body) : 0;
  if (now <= before) {
    if (now === 0) state.sleeps = [];
    return [];
  }
  state.sleeps = [...state.sleeps.slice(-19), body.step];
  if (state.sleeps.length < SLEEPS) return [];
  const { step } = body;
  const facts = { how: 'sleeps', computer: null, session: null, count: state.sleeps.length };
  return [
    {
      key: `sleeps ${state.sleeps[0]}`,
      step,
      steps: [...state.sleeps],
      facts: { ...facts, neededMs: null, leftMs: null },
      open: false,
    },
  ];
}
