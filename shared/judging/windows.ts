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
 * Cuts one segment's turns into windows as they are read. The windows depend on the turns alone, so that a batch that goes on
 * after a kill asks the same ones. Each turn is judged in exactly one; a summary has one of its own, with the segment before it as
 * context.
 */
export class WindowCutter {
  private readonly turns: JudgedTurn[] = [];
  private judged: JudgedTurn[] = [];
  private context: JudgedTurn[] = [];
  /** Of both. */
  private tokens = 0;

  constructor(private readonly limits: WindowLimits = windowLimits) {}

  /** The window that is full before this turn, the next of the segment; null: none is. */
  add(turn: JudgedTurn): JudgeWindow | null {
    this.turns.push(turn);
    if (turn.isSummary) return null;
    const { turns, tokens } = this.limits;
    const isFull = this.judged.length === turns || this.tokens + turn.tokens > tokens;
    const full = isFull ? this.close() : null;
    this.judged.push(turn);
    this.tokens += turn.tokens;
    return full;
  }

  /** What is left once the segment is read. */
  end(): JudgeWindow[] {
    const last = this.close();
    const summaries = [...this.turns.entries()].flatMap(([at, turn]): JudgeWindow[] => {
      if (!turn.isSummary) return [];
      const context = summaryContext(this.turns.slice(0, at), turn, this.limits);
      return [{ rubric: 'summaries', judged: [turn], context }];
    });
    return [...(last === null ? [] : [last]), ...summaries];
  }

  private close(): JudgeWindow | null {
    const { overlap, tokens } = this.limits;
    const [context, judged] = [this.context, this.judged];
    if (judged.length === 0) return null;
    this.context = overlap === 0 ? [] : [...context, ...judged].slice(-overlap);
    // The overlap may be large as well; the newest of it matters most.
    while (tokensOf(this.context) > tokens / 4) this.context = this.context.slice(1);
    this.tokens = tokensOf(this.context);
    this.judged = [];
    return { rubric: 'steps', context, judged };
  }
}

/** What a summary is judged beside: all turns of its segment. */
export function summaryContext(
  turns: readonly JudgedTurn[],
  summary: JudgedTurn,
  limits: WindowLimits = windowLimits,
): JudgedTurn[] {
  return fitted(turns, limits.tokens - summary.tokens);
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
