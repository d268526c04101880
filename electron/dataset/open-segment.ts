import { imagesTokens } from '@shared/context/image-header';
import { estimateTokens } from '@shared/context/tokens';
import { type EventOf, validCalls } from '@shared/log/events';

export type Model = EventOf<'run.created'>['body']['model'];

/** A step of an earlier segment, or of the run this one branched from, that stands in a segment. */
export interface CarriedStep {
  run: string;
  step: number;
}

/** An answered step, until the run was read. */
export interface OpenStep {
  step: number;
  id: string;
  kind: EventOf<'model.answered'>['body']['kind'];
  model: Model;
  /** Estimated length of the answer as rows hold it, tokens. */
  tokens: number;
  /** Calls without an observation. */
  missing: number;
}

/** What is known of a segment while the run is read. */
export interface OpenSegment {
  segment: number;
  fromSeq: number;
  toSeq: number;
  steps: OpenStep[];
  carried: CarriedStep[];
  /** The head rests on a summary. */
  rests: boolean;
  /** Estimate of the last request, tokens. */
  requested: number;
  /** What came after the last request. */
  since: string[];
  /** Of images that came after it, tokens. */
  sinceImages: number;
  /** Observations that came after it and were not read, by `seq`. */
  unread: number[];
  /** The summary turn that began in it. */
  turn: {
    step: number;
    requested: number;
    answer: OpenStep | null;
    since: string[];
    summarised: { step: number }[];
  } | null;
}

export function sumOf(requested: number, since: readonly string[]): number {
  return since.reduce((sum, text) => sum + estimateTokens(text), requested);
}

export function openSegment(
  { run, seq, body }: EventOf<'segment.started'>,
  before: OpenSegment | undefined,
): OpenSegment {
  const { from, to } = body.carried ?? { from: 1, to: 0 };
  const held = [...(before?.carried ?? []), ...(before?.steps.map(({ step }) => ({ run, step })) ?? [])];
  return {
    segment: body.segment,
    fromSeq: seq,
    toSeq: seq,
    steps: [],
    carried: held.filter(({ step }) => from <= step && step <= to),
    rests: body.summary !== undefined,
    requested: 0,
    since: [],
    sinceImages: 0,
    unread: [],
    turn: null,
  };
}

/** The observation is part of the segment. */
export function observe(segment: OpenSegment, { text, images }: EventOf<'action.observed'>['body']): void {
  segment.since.push(text);
  segment.sinceImages += imagesTokens(images);
}

export function turnOf(
  { carried, steps }: OpenSegment,
  { step, steps: part }: EventOf<'summary.started'>['body'],
): OpenSegment['turn'] {
  const { from, to } = part ?? { from: 1, to: 0 };
  const summarised = [...carried, ...steps].filter((each) => from <= each.step && each.step <= to);
  return { step, requested: 0, answer: null, since: [], summarised };
}

/** `reasoning`: rows hold it. */
export function answer(
  segment: OpenSegment,
  { body }: EventOf<'model.answered'>,
  model: Model,
  reasoning: boolean,
): void {
  const texts = [body.text, ...body.calls.map((call) => call.arguments)];
  const tokens = sumOf(reasoning ? estimateTokens(body.reasoning) : 0, texts);
  const missing = validCalls(body).length;
  const step = { step: body.step, id: body.stepId, kind: body.kind, model, tokens, missing };
  if (body.kind !== 'summary') {
    segment.steps.push(step);
    segment.since.push(...texts);
  } else if (segment.turn !== null) {
    segment.turn.answer = { ...step, missing: 0 };
    segment.turn.since = texts;
  }
}
