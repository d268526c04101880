import type { Tool } from './event-parts';
import type { EventBody } from './events';

/** Bodies of events for tests and benches, whole and plain: each says only what it is about. */

type Created = EventBody<'run.created'>;
type Facts = Omit<Partial<Created>, 'model' | 'limits'> & {
  model?: Partial<Created['model']>;
  limits?: Partial<Created['limits']>;
};

/** A run on this computer, without an experiment, that nobody made a branch of. */
export function createdBody(run: string, { model, limits, ...facts }: Facts = {}): Created {
  return {
    run,
    title: 'A run',
    task: { id: 'demo', title: 'Demo task', domain: 'data', hash: 'a'.repeat(64) },
    spec: {},
    model: {
      endpoint: 'local',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'scripted',
      keyRef: null,
      params: {},
      contextTokens: 100_000,
      sendReasoning: false,
      ...model,
    },
    computers: [{ name: 'local', kind: 'local' }],
    workspaceRoot: '/tmp/w',
    limits: { maxSteps: 100, maxWorkingMs: 3_600_000, maxEvals: 3, ...limits },
    approvals: 'off',
    taskHint: 'off',
    humanHints: true,
    evaluatorIsolated: false,
    experiment: null,
    arm: null,
    group: null,
    sample: null,
    seed: null,
    parent: null,
    ruleSet: 'default',
    ...facts,
  };
}

/** An evaluation that the agent asked for at its first try; a score of null: the evaluator gave none. */
export function evaluated(
  step: number | null,
  score: number | null,
  more: Partial<EventBody<'evaluation.ended'>> = {},
): EventBody<'evaluation.ended'> {
  return {
    step,
    outcome: score === null ? 'unavailable' : 'scored',
    attempt: 1,
    forced: false,
    score,
    raw: score,
    metrics: {},
    message: '',
    penalty: 0,
    protectedChanged: [],
    durationMs: 1,
    ...more,
  };
}

/** An answer of the scripted model that says nothing and calls nothing. */
export function answered(
  step: number,
  stepId: string,
  more: Partial<EventBody<'model.answered'>> = {},
): EventBody<'model.answered'> {
  return {
    step,
    stepId,
    kind: 'null',
    text: '',
    reasoning: '',
    calls: [],
    invalid: [],
    finishReason: 'stop',
    model: 'scripted',
    usage: null,
    cost: null,
    durationMs: 1,
    ...more,
  };
}

/** What a run has spent that took so many steps for nothing. */
export function spentIn(steps: number): EventBody<'checkpoint.made'>['spent'] {
  return {
    workingMs: 0,
    steps,
    inputTokens: 0,
    outputTokens: 0,
    cost: 0,
    evaluations: { tries: 0, best: null, last: null },
  };
}

/** A tool as a provider is told of it: a command, and how long it may take. */
export const commandTool: Tool = {
  type: 'function',
  function: {
    name: 'run_command',
    description: '',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string' }, timeout: { type: 'integer' } },
      required: ['command'],
    },
  },
};
