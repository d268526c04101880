import type { LimitsChange } from '@shared/log/outbox';
import { keepsRunning } from '../runs/drive/running-commands';
import { type Arguments, duration, positive, positiveNumber, required, wholeNumber } from './arguments';
import type { CliContext } from './context';
import { endpointFor } from './endpoint-for';
import type { CommandResult } from './output';

type Values = Arguments['values'];

/** `run pause`, `run stop`: asks for it, and says what keeps running where. */
export async function steer(
  context: CliContext,
  verb: 'pause' | 'stop',
  run: string,
  now: boolean,
): Promise<CommandResult> {
  const { state } = await context.store.reader.run(run);
  if (verb === 'pause' && state === 'paused') {
    return { json: { run, running: [] }, lines: [`Run ${run} is paused already.`] };
  }
  const running = await context.engine.running(run);
  if (verb === 'pause') await context.engine.pause(run, context.author, now ? 'now' : 'after_step');
  else await context.engine.stop(run, context.author);
  const paused = now ? `Run ${run} pauses now.` : `Run ${run} pauses after its current step.`;
  const goesOn = keepsRunning(running);
  return {
    json: { run, running },
    lines: [
      verb === 'pause' ? paused : `Run ${run} stops, without a final evaluation.`,
      ...(goesOn === '' ? [] : [goesOn]),
    ],
  };
}

/** `run model RUN NAME`, or an ad-hoc endpoint as for `run start`. */
export async function changeModel(
  context: CliContext,
  run: string,
  { values }: Arguments,
  name: string | undefined,
): Promise<CommandResult> {
  const wanted = name ?? values.model;
  const endpoint = endpointFor(context, { ...values, model: required(wanted, 'The name of the endpoint') });
  await context.engine.setModel(run, context.author, endpoint);
  return {
    json: { run, endpoint: endpoint.name, model: endpoint.model },
    lines: [`Run ${run} uses ${endpoint.model} (${endpoint.name}) from its next step on.`],
  };
}

/** `run limits RUN …`: what is not named stays. */
export async function changeLimits(
  context: CliContext,
  run: string,
  { values }: Arguments,
): Promise<CommandResult> {
  const given = (value: number | null) => value ?? undefined;
  const limits: LimitsChange = {
    maxSteps: given(positive(values['max-steps'], '--max-steps')),
    maxWorkingMs: given(duration(values['max-time'], '--max-time')),
    maxEvals: given(wholeNumber(values['max-evals'], '--max-evals')),
    maxTrainingMs: orNone(values['max-training-time'], (text) => duration(text, '--max-training-time')),
    maxTokens: orNone(values['max-tokens'], (text) => positive(text, '--max-tokens')),
    maxCost: orNone(values['max-cost'], (text) => positiveNumber(text, '--max-cost')),
  };
  await context.engine.setLimits(run, context.author, limits);
  return { json: { run, limits }, lines: [`The limits of run ${run} change at its next step.`] };
}

/** Limits of a run that is started; null: the task's, or none. */
export function startLimits(values: Values) {
  return {
    maxSteps: positive(values['max-steps'], '--max-steps'),
    maxWorkingMs: duration(values['max-time'], '--max-time'),
    maxEvals: wholeNumber(values['max-evals'], '--max-evals'),
    maxTrainingMs: duration(values['max-training-time'], '--max-training-time'),
    maxTokens: positive(values['max-tokens'], '--max-tokens'),
    maxCost: positiveNumber(values['max-cost'], '--max-cost'),
  };
}

/** Undefined: not given, so it stays; null: `none`. */
function orNone(
  value: string | undefined,
  read: (value: string) => number | null,
): number | null | undefined {
  if (value === undefined) return undefined;
  return value === 'none' ? null : read(value);
}
