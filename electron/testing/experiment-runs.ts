import { hintBlock } from '@shared/context/human-tag';
import type { DatedEvent, NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import type { Store } from '../store/api';
import { alice, beginning, createdBody } from './run-writer';

const MINUTE = 60_000;
/** An evaluation follows every so many steps. */
const EVALUATED = 8;

const domains = [
  ...['Data Construction', 'Data Filtering', 'Data Augmentation'],
  ...['Loss Design', 'Reward Design', 'Scaffold Construction'],
];

export interface ExperimentShape {
  name: string;
  runs: number;
  tasks: number;
  steps: number;
  /** Characters of each observation. */
  output?: number;
}

/**
 * Runs of one experiment that have ended: half of them in the arm `no hints`, half in `hints` with two hints each, over `tasks` tasks
 * in six domains. Scores, times and costs are made up from the run's number, the same for the same shape. Returns their ids, in order.
 */
export async function writeExperiment(store: Store, shape: ExperimentShape): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < shape.runs; nth += 1) ids.push(await writeRun(store, shape, nth));
  await store.drain();
  return ids;
}

async function writeRun(store: Store, { name, tasks, steps, output = 400 }: ExperimentShape, nth: number) {
  const run = ulid();
  const hinted = nth % 2 === 1;
  const task = Math.floor(nth / 2) % tasks;
  const made = createdBody(run);
  const body = {
    ...made,
    title: `Task ${task + 1}, ${hinted ? 'hints' : 'no hints'}, sample ${Math.floor(nth / 2 / tasks) + 1}`,
    task: {
      ...made.task,
      id: `task-${task + 1}`,
      hash: String(task + 1).padStart(64, '0'),
      title: `Task ${task + 1}`,
      domain: domains[task % domains.length] ?? null,
    },
    experiment: name,
    arm: hinted ? 'hints' : 'no hints',
    humanHints: hinted,
    sample: Math.floor(nth / 2 / tasks) + 1,
  };
  const start = Date.UTC(2026, 0, 1) + nth * MINUTE;
  await store.writer.append(run, 0, [{ kind: 'run.created', body, at: start }]);
  const hints: { id: string; text: string }[] = [];
  for (const text of hinted ? ['Look at the loss curve before you tune.', 'Filter duplicates first.'] : []) {
    const id = ulid();
    hints.push({ id, text });
    const category = hints.length === 1 ? ('strategy' as const) : ('correction' as const);
    await store.writer.post(run, alice, { op: 'hint.queued', hint: id, text, category });
  }
  const events: DatedEvent[] = [];
  let at = start;
  const add = (event: NewEvent) => events.push({ ...event, at });
  add({
    kind: 'driver.started',
    body: { epoch: 1, pid: 1, host: 'h', app: '0.1.0', runtime: 'node', reason: 'start' },
  });
  beginning.forEach(add);
  for (let step = 1; step <= steps; step += 1) {
    at += MINUTE * (3 + ((nth + step) % 5));
    stepEvents(step, output).forEach(add);
    if (step % EVALUATED === 0) add(scored(step, scoreAt(nth, step / EVALUATED, hinted)));
    const hint = step % (2 * EVALUATED) === EVALUATED ? hints.shift() : undefined;
    if (hint !== undefined)
      add({ kind: 'hint.delivered', body: { step, hints: [hint], text: hintBlock([hint.text]) } });
  }
  add({ kind: 'run.status', body: { status: 'finished', reason: 'finish', message: 'Finished' } });
  await store.writer.append(run, 1, events);
  return run;
}

/** Grows, with a setback now and then; a little faster with hints. */
function scoreAt(nth: number, attempt: number, hinted: boolean): number {
  const pace = 3 + (nth % 7) + (hinted ? 2 : 0);
  const setback = (nth + attempt) % 4 === 0 ? 4 : 0;
  return Math.min(100, Math.max(0, attempt * pace - setback));
}

function scored(step: number, score: number): NewEvent {
  return {
    kind: 'evaluation.ended',
    body: {
      step,
      outcome: 'scored',
      attempt: step / EVALUATED,
      forced: false,
      score,
      raw: score,
      metrics: {},
      message: 'Scored',
      penalty: 0,
      protectedChanged: [],
      durationMs: 5,
    },
  };
}

function stepEvents(step: number, output: number): NewEvent[] {
  const callId = `call_${step}`;
  const isEvaluation = step % EVALUATED === 0;
  const name = isEvaluation ? 'eval' : 'run_command';
  const args: Record<string, string> = isEvaluation
    ? {}
    : { command: `python train.py --round ${step}`, session_id: 'main' };
  return [
    {
      kind: 'model.answered',
      body: {
        step,
        stepId: ulid(),
        kind: 'act',
        text: `Round ${step}: the next change to try.`,
        reasoning: '',
        calls: [{ id: callId, name, arguments: JSON.stringify(args) }],
        invalid: [null],
        finishReason: 'tool_calls',
        model: 'scripted',
        usage: { inputTokens: 1_000 + step, outputTokens: 60, cachedTokens: 900, reasoningTokens: 0 },
        cost: 0.02,
        durationMs: 900,
      },
    },
    { kind: 'action.started', body: { step, call: 0, callId, name, args, guards: [] } },
    {
      kind: 'action.observed',
      body: {
        step,
        call: 0,
        callId,
        name,
        ok: true,
        error: null,
        text: `round ${step}: `.padEnd(output, 'loss 0.123 '),
        data: { computer: 'local', session: 'main', exitCode: 0 },
        offsets: { 'local:main': step * output },
        durationMs: 800,
        closedBy: 'run',
        imitatesHuman: false,
      },
    },
  ];
}
