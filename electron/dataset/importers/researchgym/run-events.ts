import type { DatedEvent, EventBody, NewEvent } from '@shared/log/events';
import { newUlid } from '../../../base/new-ulid';
import type { ImportedHint } from '../read-log';
import { KnownFiles } from './known-files';
import type { GymLife } from './lives';
import { durationMs, observationData, parseObservation, refusedAnswer, scalarArguments } from './observation';
import { type GymTurn, turnKey } from './turns';

/** Events of imported lives, in order; what people said comes as hints that were delivered. */
export class RunEvents {
  readonly events: DatedEvent[] = [];
  readonly hints: ImportedHint[] = [];
  steps = 0;
  private segment = 0;
  private at: number;
  private finished = false;
  private readonly files = new KnownFiles();
  /** Numbers of all steps so far, by turn. */
  private readonly numbers = new Map<string, number>();
  /** Steps in the present context, and what was said in them. */
  private context: { step: number; hints: string[] }[] = [];

  constructor(
    start: number,
    private readonly request: Record<string, unknown>,
  ) {
    this.at = start;
  }

  /** Whether the agent itself ended the run. */
  get ended(): boolean {
    return this.finished;
  }

  life(life: GymLife): void {
    const carried = life.carried.flatMap((turn) => {
      const known = this.numbers.get(turnKey(turn));
      return known === undefined ? [] : [known];
    });
    const first = carried[0];
    const last = carried.at(-1);
    const range = first === undefined || last === undefined ? null : { from: first, to: last };
    const before = this.context;
    if (life.summary !== null && before.length > 0) {
      this.summary(life.summary, range, life.own[0]?.usage?.input ?? 0);
    }
    this.segment += 1;
    const still = new Set(carried);
    this.context = before.filter(({ step }) => still.has(step));
    this.add('segment.started', {
      segment: this.segment,
      head: life.head,
      tools: [],
      request: this.request,
      ...(life.summary !== null && before.length > 0 ? { summary: this.steps } : {}),
      carried: range,
    });
    for (const turn of life.own) this.turn(turn);
  }

  private summary(
    { turn, prompt }: NonNullable<GymLife['summary']>,
    carried: { from: number; to: number } | null,
    tokensAfter: number,
  ): void {
    const summarised = this.context.filter(({ step }) => carried === null || step < carried.from);
    const step = this.steps + 1;
    const from = summarised[0]?.step;
    const to = summarised.at(-1)?.step;
    this.clock(turn.at);
    const said = ({ content, role }: (typeof prompt)[number]) => ({
      role: role === 'tool' ? ('user' as const) : role,
      content: content ?? '',
    });
    const start = prompt.findIndex(({ role }) => role === 'assistant');
    this.add('summary.started', {
      step,
      segment: this.segment,
      entries: Math.max(1, summarised.length),
      pair: this.segment > 1,
      steps: from === undefined || to === undefined ? null : { from, to },
      carried,
      tokens: turn.usage?.input ?? 0,
      limit: 1,
      why: 'limit',
      hints: summarised.flatMap(({ hints }) => hints),
      head: prompt.slice(0, Math.max(0, start)).map(said),
      closing: prompt.at(-1)?.role === 'user' ? (prompt.at(-1)?.content ?? '') : '',
      tools: [],
      request: this.request,
    });
    this.steps = step;
    this.answer(turn, 'summary', [null]);
    this.add('summary.ended', { step, tokensBefore: turn.usage?.input ?? 0, tokensAfter, missing: [] });
  }

  private turn(turn: GymTurn): void {
    this.steps += 1;
    const step = this.steps;
    this.numbers.set(turnKey(turn), step);
    this.context.push({ step, hints: [] });
    this.clock(turn.at);
    const { call } = turn;
    const observed = parseObservation(turn.observed);
    const args = call === null ? null : scalarArguments(call.arguments);
    const refused =
      call === null
        ? 'There was no call.'
        : (refusedAnswer(call.name, observed) ??
          (args === null ? 'The arguments are no JSON object.' : null));
    if (call === null || refused !== null || args === null) {
      this.answer(turn, 'null', [refused]);
      if (turn.observed !== null) {
        this.add('step.taught', {
          step,
          text: typeof observed?.error_message === 'string' ? observed.error_message : turn.observed,
        });
      }
    } else {
      this.answer(turn, call.name === 'think' ? 'think' : 'act', [null]);
      this.act(step, turn, call, args, observed);
    }
    if (turn.human !== null) this.hint(step, turn.human);
  }

  private answer(turn: GymTurn, kind: EventBody<'model.answered'>['kind'], invalid: (string | null)[]): void {
    // The reference program makes up a call for an answer without one; no call is ever made up here.
    const call = turn.call?.name === 'null' ? null : turn.call;
    this.add('model.answered', {
      step: this.steps,
      stepId: newUlid(this.at),
      kind,
      text: turn.text,
      reasoning: turn.reasoning,
      calls: call === null ? [] : [call],
      invalid: call === null ? [] : invalid,
      finishReason: turn.finishReason,
      model: turn.model ?? '',
      usage:
        turn.usage === null
          ? null
          : {
              inputTokens: turn.usage.input,
              outputTokens: turn.usage.output,
              cachedTokens: turn.usage.cached,
              reasoningTokens: turn.usage.reasoning,
            },
      cost: null,
      durationMs: 0,
    });
    const unknown = call === turn.call ? turn.unknown : { ...turn.unknown, madeUpCall: turn.call };
    this.add('step.imported', { step: this.steps, source: turn.source, unknown });
  }

  private act(
    step: number,
    turn: GymTurn,
    call: NonNullable<GymTurn['call']>,
    args: NonNullable<ReturnType<typeof scalarArguments>>,
    observed: Record<string, unknown> | null,
  ): void {
    const at = { step, call: 0, callId: call.id, name: call.name };
    this.add('action.started', { ...at, args, guards: [] });
    if (turn.observed === null) {
      this.add('action.observed', {
        ...at,
        ok: false,
        text: '',
        data: {},
        offsets: {},
        durationMs: 0,
        closedBy: 'interrupted',
        imitatesHuman: false,
        error: { code: 'interrupted', message: 'The log ends before this action was observed.' },
      });
      return;
    }
    const failed = observed?.success === false;
    const facts = observed ?? {};
    const change = failed ? null : this.files.change(step, call.name, args, facts);
    if (change !== null) this.add('file.changed', change);
    this.add('action.observed', {
      ...at,
      ok: !failed,
      error: failed
        ? { code: 'failed', message: String(facts.error_message ?? facts.message ?? 'It failed.') }
        : null,
      text: turn.observed,
      data: observationData(call.name, args, facts),
      offsets: {},
      durationMs: durationMs(observed),
      closedBy: 'run',
      imitatesHuman: false,
    });
    if (call.name === 'eval') this.evaluation(step, facts, failed);
    if (call.name === 'finish' && !failed) this.finished = true;
  }

  private evaluation(step: number, facts: Record<string, unknown>, failed: boolean): void {
    const score = typeof facts.overall_score === 'number' && !failed ? facts.overall_score : null;
    const attempt = typeof facts.already_eval_num === 'number' ? facts.already_eval_num : null;
    const metrics = Object.entries(facts).filter(([key]) => /^metric_\d+$/.test(key));
    this.add('evaluation.ended', {
      step,
      outcome: score === null ? 'unavailable' : 'scored',
      attempt: attempt !== null && attempt > 0 ? attempt : null,
      forced: false,
      score,
      raw: score,
      metrics: Object.fromEntries(metrics),
      message: String(facts.message ?? facts.error_message ?? ''),
      penalty: 0,
      protectedChanged: [],
      durationMs: 0,
    });
  }

  private hint(step: number, text: string): void {
    const inner = (between(text, '<real_user>', '</real_user>') ?? text).trim();
    const hint = { id: newUlid(this.at), text: inner === '' ? text : inner };
    this.hints.push(hint);
    this.context.at(-1)?.hints.push(hint.id);
    this.add('hint.delivered', { step, hints: [hint], text });
  }

  /** Times never run backwards, as some of the source's do. */
  private clock(at: number | null): void {
    if (at !== null) this.at = Math.max(this.at, at);
  }

  private add<K extends NewEvent['kind']>(kind: K, body: EventBody<K>): void {
    // The pair is sound: `body` is the body of `kind`.
    this.events.push({ kind, body, at: this.at } as unknown as DatedEvent);
  }
}

/** What stands between the first of the one and the next of the other; null when one is missing. */
function between(text: string, open: string, close: string): string | null {
  const from = text.indexOf(open);
  const to = from < 0 ? -1 : text.indexOf(close, from + open.length);
  return to < 0 ? null : text.slice(from + open.length, to);
}
