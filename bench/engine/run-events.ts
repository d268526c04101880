import type { Author } from '@shared/log/annotations';
import { answered, createdBody } from '@shared/log/event-fixtures';
import type { EventBody, NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import type { Material } from './material';

export const author: Author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Bench' };

/** The first events of a run that a bench writes or drives by itself. */
export function creation(run: string, maxSteps: number): NewEvent[] {
  const created = createdBody(run, {
    title: 'A measured run',
    task: { id: 'bench', title: 'Bench', domain: 'data', hash: 'a'.repeat(64) },
    model: { contextTokens: 1_000_000_000 },
    workspaceRoot: '/tmp/bench',
    limits: { maxSteps, maxWorkingMs: 144_000_000, maxEvals: 3 },
  });
  const segment: EventBody<'segment.started'> = {
    segment: 1,
    head: [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Do the task.' },
    ],
    tools: [],
    request: { model: 'scripted', stream: true },
  };
  return [
    { kind: 'run.created', body: created },
    { kind: 'segment.started', body: segment },
  ];
}

/** Both commits of a step: the answer with its action before it runs, and the observation. */
export interface StepEvents {
  action: NewEvent[];
  observation: NewEvent[];
  /** Bytes of the texts. */
  bytes: number;
}

/** A command step with about `bytes` of text: a fifth of it the thought, the rest the observation. */
export function commandStep(step: number, bytes: number, material: Material): StepEvents {
  const thought = material.prose(Math.round(bytes / 5));
  const command = material.command();
  const argumentsText = JSON.stringify({ command, session_id: 'main' });
  const output = material.log(Math.max(40, bytes - thought.length - 2 * argumentsText.length));
  const callId = `call_${step}`;
  const at = { step, call: 0, callId, name: 'run_command' };
  const args = { command, session_id: 'main' };
  return {
    action: [
      {
        kind: 'model.answered',
        body: answered(step, ulid(), {
          kind: 'act',
          text: thought,
          calls: [{ id: callId, name: 'run_command', arguments: argumentsText }],
          invalid: [null],
          finishReason: 'tool_calls',
          usage: { inputTokens: 4_000, outputTokens: 300, cachedTokens: 0, reasoningTokens: 0 },
          durationMs: 900,
        }),
      },
      { kind: 'action.started', body: { ...at, args, guards: [] } },
    ],
    observation: [
      {
        kind: 'action.observed',
        body: {
          ...at,
          ok: true,
          error: null,
          text: output,
          data: { computer: 'local', session: 'main', command, exitCode: 0 },
          offsets: { 'local:main': step * 100 },
          durationMs: 40,
          closedBy: 'run',
          imitatesHuman: false,
        },
      },
    ],
    bytes: thought.length + 2 * argumentsText.length + output.length,
  };
}

/** What the two commits carry, as text: the bare inserts write the same. */
export function asText({ action, observation }: StepEvents): { action: string; observation: string } {
  return {
    action: JSON.stringify(action.map(({ body }) => body)),
    observation: JSON.stringify(observation.map(({ body }) => body)),
  };
}
