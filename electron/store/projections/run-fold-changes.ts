import type { EventBody, EventOf } from '@shared/log/events';
import type { StoredRunState } from '../log/run-state';
import type { FoldSink } from './fold-rows';

type ContextEvent = EventOf<
  'summary.started' | 'summary.rejected' | 'summary.ended' | 'context.shortened' | 'context.images_left_out'
>;
type ChangeEvent = EventOf<
  'model.changed' | 'limits.changed' | 'gpu.changed' | 'checkpoint.made' | 'branch.began'
>;

/** Tokens and cost of an answer, also of one that was refused as a summary. */
export function pay(state: StoredRunState, body: Pick<EventBody<'model.answered'>, 'usage' | 'cost'>): void {
  if (body.usage !== null) {
    state.tokens.input += body.usage.inputTokens;
    state.tokens.output += body.usage.outputTokens;
    state.tokens.cached += body.usage.cachedTokens;
  }
  state.cost += body.cost ?? 0;
}

/** Summary turns, shortened observations and images left out, as notes of the timeline. */
export function foldContext(state: StoredRunState, event: ContextEvent, sink: FoldSink): void {
  switch (event.kind) {
    case 'summary.started': {
      const { step, steps, pair, carried } = event.body;
      state.summary = { step, steps, pair, carried };
      return;
    }
    case 'summary.rejected':
      pay(state, event.body);
      return;
    case 'summary.ended': {
      const { step, tokensBefore, tokensAfter, missing } = event.body;
      const { steps = null, pair = false, carried = null } = state.summary ?? {};
      const note = {
        kind: 'summary' as const,
        step,
        steps,
        pair,
        carried,
        tokensBefore,
        tokensAfter,
        missing,
      };
      sink.note({ seq: event.seq, step, note });
      state.summary = null;
      return;
    }
    case 'context.shortened': {
      const { step, was, keepStart, keepEnd } = event.body;
      const note = { kind: 'shortened' as const, step, was, kept: keepStart + keepEnd };
      sink.note({ seq: event.seq, step: Math.max(step, state.steps), note });
      return;
    }
    case 'context.images_left_out': {
      const { images, left } = event.body;
      const note = { kind: 'images_left_out' as const, images, left };
      sink.note({ seq: event.seq, step: state.steps, note });
    }
  }
}

/** What people change about a run, its checkpoints and where it branched off. */
export function foldChange(state: StoredRunState, event: ChangeEvent, sink: FoldSink): void {
  const { seq } = event;
  const step = state.steps;
  switch (event.kind) {
    case 'model.changed': {
      const { model, by } = event.body;
      Object.assign(state.changed, {
        model: model.model,
        endpoint: model.endpoint,
        contextLimit: model.contextTokens,
      });
      const images = model.images === true ? { images: true as const } : {};
      state.sendReasoning = [...(state.sendReasoning ?? []), { seq, on: model.sendReasoning, ...images }];
      sink.note({ seq, step, note: { kind: 'model', model: model.model, by } });
      return;
    }
    case 'limits.changed': {
      const { limits, by } = event.body;
      const { maxSteps, maxWorkingMs, maxEvals, maxTokens = null, maxCost = null } = limits;
      Object.assign(state.changed, { maxSteps, maxWorkingMs, maxTries: maxEvals, maxTokens, maxCost });
      // Absent where there is no such limit: folds of older logs stay as they were.
      if (limits.maxTrainingMs === undefined) delete state.changed.maxTrainingMs;
      else state.changed.maxTrainingMs = limits.maxTrainingMs;
      sink.note({ seq, step, note: { kind: 'limits', limits, by } });
      return;
    }
    case 'gpu.changed': {
      const { computer, state: word, since } = event.body;
      sink.note({ seq, step, note: { kind: 'gpu', computer, state: word, since } });
      return;
    }
    case 'checkpoint.made': {
      const { checkpoint, why, note, workspace } = event.body;
      state.checkpoints += 1;
      const bytes = workspace?.bytes ?? null;
      const at = event.body.step;
      sink.note({ seq, step: at, note: { kind: 'checkpoint', checkpoint, step: at, why, note, bytes } });
      return;
    }
    case 'branch.began': {
      const { parent, spent, message } = event.body;
      state.steps = parent.step;
      state.taken = spent.steps;
      state.tokens.input = spent.inputTokens;
      state.tokens.output = spent.outputTokens;
      state.cost = spent.cost;
      const { tries, best, last } = spent.evaluations;
      state.tries = tries;
      Object.assign(state.scores, { best, last });
      sink.note({ seq, step: parent.step, note: { kind: 'branch', parent, message } });
    }
  }
}
