import { boundText } from '../base/bounded-text';
import { estimateTokens } from '../context/tokens';
import type { JudgedTurn } from './judged-turn';

/** What one request of a judge is about. */
export interface JudgeWindow {
  rubric: 'steps' | 'summaries';
  /** Turns before the first judged one, ascending; the judge says nothing about them. */
  context: JudgedTurn[];
  judged: JudgedTurn[];
}

export interface WindowLimits {
  /** Most estimated tokens of the turns of one window; a single turn may exceed it. */
  tokens: number;
  /** Most turns judged by one request: long lists are answered with gaps. */
  turns: number;
  /** Turns of the window before that are shown again. */
  overlap: number;
}

export const windowLimits: WindowLimits = { tokens: 24_000, turns: 24, overlap: 3 };

/**
 * The windows of one segment's turns, in order. They depend on the turns alone, so that a batch that goes on after a kill asks
 * the same windows. Each turn is judged in exactly one; a summary has one of its own, with the segment before it as context.
 */
export function windowsOf(turns: readonly JudgedTurn[], limits = windowLimits): JudgeWindow[] {
  const windows: JudgeWindow[] = [];
  let judged: JudgedTurn[] = [];
  let context: JudgedTurn[] = [];
  let tokens = 0;
  const close = () => {
    if (judged.length > 0) windows.push({ rubric: 'steps', context, judged });
    context = limits.overlap === 0 ? [] : [...context, ...judged].slice(-limits.overlap);
    // The overlap may be large as well; the newest of it matters most.
    while (context.length > 0 && tokensOf(context) > limits.tokens / 4) context = context.slice(1);
    tokens = tokensOf(context);
    judged = [];
  };
  for (const turn of turns) {
    if (turn.isSummary) continue;
    const isFull = judged.length === limits.turns || tokens + turn.tokens > limits.tokens;
    if (judged.length > 0 && isFull) close();
    judged.push(turn);
    tokens += turn.tokens;
  }
  close();
  for (const [at, turn] of turns.entries()) {
    if (turn.isSummary)
      windows.push({
        ...{ rubric: 'summaries', judged: [turn] },
        context: fitted(turns.slice(0, at), limits.tokens - turn.tokens),
      });
  }
  return windows;
}

/** All turns in at most about `room` tokens: each gets the same share at least, as a summary may have forgotten any of them. */
function fitted(turns: readonly JudgedTurn[], room: number): JudgedTurn[] {
  if (tokensOf(turns) <= room) return [...turns];
  const characters = Math.max(200, Math.floor((room * 3) / Math.max(1, turns.length)));
  return turns.map((turn) => {
    const text = boundText(turn.text, 'left out for the judge', characters);
    return { ...turn, text, tokens: estimateTokens(text) };
  });
}

function tokensOf(turns: readonly JudgedTurn[]): number {
  return turns.reduce((sum, turn) => sum + turn.tokens, 0);
}
