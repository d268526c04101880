import { createHash } from 'node:crypto';
import { wellFormed } from '@shared/base/clean-text';
import { hintBlock } from '@shared/context/human-tag';
import { estimateTokens } from '@shared/context/tokens';
import { WaymarkError } from '@shared/contract/errors';
import { promptBody, promptBodyWith } from '@shared/contract/rehearsal-body';
import { namedEndpoint } from '@shared/contract/settings';
import type { PromptView, Rehearsal, RehearsalCost, RunSummary, StepDetail } from '@shared/contract/views';
import type { ModelRef } from '@shared/log/event-parts';
import { modelRef, requestParams } from '../../agent/model-ref';
import { costOf, type Price } from '../../model/client';
import { parseSpec } from '../../task/stored-spec';
import type { EngineOptions } from '../engine-options';
import { modelPort } from './model-port';

/** Steps looked back over for an answer: summary turns stand between two of them. */
const LOOK_BACK = 20;

interface Ground {
  summary: RunSummary;
  step: StepDetail;
  prompt: PromptView;
  model: ModelRef;
  cost: RehearsalCost;
}

/**
 * Tries drafts of hints: the latest answered request once more, with the draft in it, and the answer beside the one the run
 * took. Nothing is stored, run or charged to the run, so it works whoever drives the run, or nobody.
 */
export class Rehearsals {
  private readonly underWay = new Map<string, AbortController>();

  constructor(
    private readonly options: Pick<
      EngineOptions,
      'store' | 'settings' | 'addresses' | 'findKey' | 'isKeyLocked' | 'baseUrlOf'
    >,
  ) {}

  /**
   * What a try would cost at most: the whole input without cached parts, and as much output as the real step had.
   * @throws WaymarkError not_found, refused (no step yet)
   */
  async cost(run: string, text: string): Promise<RehearsalCost> {
    return (await this.ground(run, text)).cost;
  }

  /**
   * @throws WaymarkError not_found, refused (no step yet, another try under way), cancelled, or what the model failed with
   */
  async rehearse(run: string, text: string): Promise<Rehearsal> {
    if (this.underWay.has(run)) {
      throw new WaymarkError(
        'refused',
        'A draft is being tried in this run already. Wait for it, or end it.',
      );
    }
    const ending = new AbortController();
    this.underWay.set(run, ending);
    try {
      const ground = await this.ground(run, text);
      const answer = await this.ask(ground, text, ending.signal);
      return {
        ...ground.cost,
        without: taken(ground.step),
        with: { text: answer.text, reasoning: answer.reasoning, calls: answer.calls },
        paid: costOf(answer.usage, this.price(ground.model)),
      };
    } finally {
      this.underWay.delete(run);
    }
  }

  /** Ends the call under way, if there is one. */
  cancel(run: string): void {
    this.underWay.get(run)?.abort(new Error('The rehearsal was ended.'));
  }

  cancelAll(): void {
    for (const run of this.underWay.keys()) this.cancel(run);
  }

  private async ground(run: string, text: string): Promise<Ground> {
    const { reader } = this.options.store;
    const summary = await reader.run(run);
    const number = await this.latestStep(run, summary.steps);
    const [step, prompt] = await Promise.all([reader.step(run, number), reader.prompt(run, number)]);
    if (sha256(promptBody(prompt, prompt.request)) !== prompt.sha256) {
      throw new WaymarkError(
        'workspace_corrupt',
        `The request of step ${number} cannot be rebuilt as it was sent. Run "verify".`,
      );
    }
    const model = await this.modelInForce(run, summary);
    const inputTokens = inputOf(step, prompt) + estimateTokens(hintBlock([text]));
    const outputTokens = outputOf(step);
    const usage = { inputTokens, outputTokens, cachedTokens: 0, reasoningTokens: 0 };
    const cost = costOf(usage, this.price(model));
    return {
      summary,
      step,
      prompt,
      model,
      cost: { step: number, inputTokens, outputTokens, cost, model: model.model },
    };
  }

  /** The latest answer that is no summary turn and was given in this run, not in the one it branched off. */
  private async latestStep(run: string, steps: number): Promise<number> {
    const heads = await this.options.store.reader.heads(run, Math.max(1, steps - LOOK_BACK), steps);
    const latest = heads.filter((head) => head.id !== '' && head.kind !== 'summary').at(-1);
    if (latest === undefined || latest.inheritedFrom !== null) {
      throw new WaymarkError(
        'refused',
        'The agent has not answered in this run yet, so there is nothing to compare with. Try the draft after its first step.',
      );
    }
    return latest.step;
  }

  /** As the run was created with, or as it was changed to since. @throws WaymarkError not_found (the endpoint is gone) */
  private async modelInForce(run: string, { endpoint, model }: RunSummary): Promise<ModelRef> {
    const [first] = await this.options.store.reader.events(run, 1, 1);
    if (first?.kind !== 'run.created') {
      throw new WaymarkError('workspace_corrupt', `The log of run ${run} does not begin with its creation.`);
    }
    const { body } = first;
    if (body.model.endpoint === endpoint && body.model.model === model) return body.model;
    const spec = parseSpec(body.spec, body.task.title);
    return { ...modelRef(namedEndpoint(this.options.settings.current, endpoint), spec), model };
  }

  private async ask({ prompt, model }: Ground, text: string, signal: AbortSignal) {
    // A run that went over to another model since is tried with that one.
    const request = prompt.request.model === model.model ? prompt.request : requestParams(model);
    const body = promptBodyWith(prompt, request, wellFormed(text));
    const result = await modelPort(this.options, () => model).ask(
      { body, sha256: sha256(body) },
      () => undefined,
      signal,
    );
    if (result.ok) return result.answer;
    if (signal.aborted)
      throw new WaymarkError('cancelled', 'The rehearsal was ended before the model answered.');
    throw new WaymarkError(result.failure.code, result.failure.message);
  }

  private price({ endpoint }: ModelRef): Price | null {
    return this.options.settings.current.endpoints.find(({ name }) => name === endpoint)?.price ?? null;
  }
}

function taken({ text, reasoning, observations }: StepDetail): Rehearsal['without'] {
  const calls = observations.map(({ callId, name, rawArguments }) => ({
    id: callId,
    name,
    arguments: rawArguments,
  }));
  return { text, reasoning, calls };
}

/** As the endpoint counted it for the real request, else estimated. */
function inputOf({ usage }: StepDetail, { messages, tools }: PromptView): number {
  const tokens = messages.reduce((sum, message) => sum + message.tokens, 0);
  return usage?.inputTokens ?? tokens + (tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0);
}

function outputOf({ usage, text, reasoning, observations }: StepDetail): number {
  const calls = observations.map(({ name, rawArguments }) => name + rawArguments).join('');
  return usage?.outputTokens ?? estimateTokens(text + reasoning + calls);
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
