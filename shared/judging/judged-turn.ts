import { boundText } from '../base/bounded-text';
import { estimateTokens } from '../context/tokens';
import type { ObservationView, StepDetail } from '../contract/views';

/** A step as a judge reads it, its long texts shortened. */
export interface JudgedTurn {
  /** Per-run number of the step. */
  step: number;
  isSummary: boolean;
  text: string;
  /** Estimated tokens of `text`. */
  tokens: number;
}

/** Most characters of a thought, of one call's arguments, and of one observation: a judgement needs no more of them. */
const LIMITS = { thought: 3_000, args: 4_000, observation: 3_000, summary: 24_000 };
/** Most turns that the store gives at a time. */
export const TURNS_TOGETHER = 32;
const REST = 'left out for the judge';

/** What a judge sees of a step: reasoning, text, calls, what each brought back, and the hint that followed. No opinion on it. */
export function judgedTurn({
  head,
  reasoning,
  text,
  observations,
  hintText,
}: Pick<StepDetail, 'reasoning' | 'text' | 'hintText'> & {
  head: Pick<StepDetail['head'], 'step' | 'kind'>;
  observations: readonly Pick<ObservationView, 'name' | 'rawArguments' | 'invalid' | 'ok' | 'text'>[];
}): JudgedTurn {
  const isSummary = head.kind === 'summary';
  const most = isSummary ? LIMITS.summary : LIMITS.thought;
  const parts = [
    part('reasoning', reasoning, LIMITS.thought),
    part('text', text, most),
    ...observations.flatMap((each) => [
      part(`call ${each.name}`, each.rawArguments, isSummary ? LIMITS.summary : LIMITS.args),
      part('refused', each.invalid ?? '', LIMITS.observation),
      part(each.ok === false ? 'failed' : 'returned', each.text, LIMITS.observation),
    ]),
    part('hint from a person', hintText ?? '', LIMITS.observation),
  ].filter((each) => each !== '');
  const whole = parts.length > 0 ? parts.join('\n') : '[The answer is empty.]';
  return { step: head.step, isSummary, text: whole, tokens: estimateTokens(whole) };
}

function part(title: string, text: string, most: number): string {
  return text.trim() === '' ? '' : `[${title}]\n${boundText(text, REST, most)}`;
}
