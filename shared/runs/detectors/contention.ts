import type { EventOf, RunEvent } from '../../log/events';
import type { Detector, DetectorFacts, DetectorFinding } from './detector';
import {
  endedJobs,
  forget,
  keep,
  type OwnJob,
  type OwnJobs,
  placeOf,
  shareGpus,
  startedJob,
} from './own-jobs';

/** A figure of the memory in use counts for so many steps. */
const FRESH_STEPS = 20;

interface State {
  jobs: OwnJobs;
  /** MB in use by GPU index, and the step it was seen at, by computer. */
  memory: Record<string, { step: number; usedMb: Record<number, number> }>;
}

/**
 * A job is started on a GPU that another own session still uses, or on which more than 10,000 MB (or what the task says)
 * are in use. A job is a command left running that starts training or names its GPUs; one that names none may take
 * all of them. What other programs use is known from the last figures of the GPU watch, or from an `nvidia-smi` that the
 * agent ran itself.
 */
export const contention: Detector<State> = {
  id: 'contention',
  version: 1,
  text: 'A job was started on a GPU that another session of the run uses, or that is taken already.',
  citation: 'InnovatorBench §5.4, resource mismanagement',
  parameters: { freshSteps: FRESH_STEPS },
  start: () => ({ jobs: {}, memory: {} }),
  look(state, event, facts) {
    for (const job of endedJobs(state.jobs, event)) {
      forget(state.jobs, job);
      // What it used is free again; how much of the figure was its own is not known.
      delete state.memory[job.computer];
    }
    takeMemory(state, event, facts);
    const job = startedJob(event, facts.rules);
    if (job === null || !facts.rules.gpuComputers.includes(job.computer)) return [];
    const findings = conflicts(state, job, facts);
    keep(state.jobs, job);
    return findings;
  },
};

function conflicts(state: State, job: OwnJob, { rules, step }: DetectorFacts): DetectorFinding[] {
  const { computer, session } = job;
  const other = Object.values(state.jobs).find((each) => each.session !== session && shareGpus(each, job));
  if (other !== undefined) {
    const facts = { computer, session, how: 'own', other: other.session, gpu: null, usedMb: null };
    return [one(job, [other.step, job.step], facts)];
  }
  const seen = state.memory[computer];
  if (seen === undefined || step - seen.step > FRESH_STEPS) return [];
  const taken = Object.entries(seen.usedMb).find(
    ([gpu, used]) => used > rules.gpuTakenMb && (job.gpus === null || job.gpus.includes(Number(gpu))),
  );
  if (taken === undefined) return [];
  const [gpu, used] = taken;
  const facts = { computer, session, how: 'taken', other: null, gpu: Number(gpu), usedMb: Math.round(used) };
  return [one(job, [job.step], facts)];
}

function one(job: OwnJob, steps: number[], facts: DetectorFinding['facts']): DetectorFinding {
  return { key: `${job.computer}:${job.session} ${job.step}`, step: job.step, steps, facts, open: false };
}

function takeMemory(state: State, event: RunEvent, { step }: DetectorFacts): void {
  if (event.kind === 'gpu.changed') {
    const { computer, gpus } = event.body;
    const usedMb = Object.fromEntries(gpus.map(({ index, memoryUsedMb }) => [index, memoryUsedMb]));
    state.memory[computer] = { step, usedMb };
  } else if (event.kind === 'action.observed' && event.body.name === 'run_command') {
    takePrinted(state, event);
  }
}

/** The table that a bare `nvidia-smi` prints: one `used / total` per GPU, in the order of their indices. */
function takePrinted(state: State, { body }: EventOf<'action.observed'>): void {
  const place = placeOf(body.data);
  const { command } = body.data;
  if (place === null || typeof command !== 'string' || !/\bnvidia-smi\s*(?:$|[|;&\n])/.test(command)) return;
  const used = [...body.text.slice(0, 20_000).matchAll(/(\d+)MiB\s*\/\s*\d+MiB/g)].map((match) =>
    Number(match[1]),
  );
  if (used.length === 0) return;
  state.memory[place.computer] = { step: body.step, usedMb: Object.fromEntries(used.entries()) };
}
