import { z } from 'zod';
import { wellFormed } from '../base/clean-text';
import { keepCodes, reasonCodes } from '../labels/guideline';
import type { Tool } from '../log/event-parts';
import type { JudgeWindow } from './windows';

/** A turn that only carries out a hint: kept, but never surely, so that a person looks at it (semantics, Judge). */
const ONLY_FOLLOWS_HINT = 'only-follows-hint';
/** At most this sure: the queue "judge unsure" begins at 0.6. */
const UNSURE = 0.5;

const reasonsOf: Readonly<Record<JudgeWindow['rubric'], readonly string[]>> = {
  steps: [...reasonCodes, 'contradicts-success', ...keepCodes, ONLY_FOLLOWS_HINT, 'sound', 'other'],
  summaries: ['forgets', 'makes-up', 'sound', 'other'],
};

/** Most characters of a reason, as the log has it. */
const MOST_REASON = 80;

/** The one tool that a judge answers with. */
export function judgeTool(rubric: JudgeWindow['rubric'], isOwn: boolean): Tool {
  const properties = {
    turn: { type: 'integer', description: 'The number of the turn.' },
    verdict: { type: 'string', enum: ['keep', 'mask'] },
    reason: { type: 'string', ...(isOwn ? { maxLength: MOST_REASON } : { enum: reasonsOf[rubric] }) },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    why: { type: 'string', description: 'One sentence.' },
    cites: {
      type: 'array',
      items: { type: 'integer' },
      description: 'Numbers of the turns that support it.',
    },
  };
  const turns = {
    type: 'array',
    items: { type: 'object', properties, required: ['turn', 'verdict', 'reason', 'confidence', 'why'] },
  };
  return {
    type: 'function',
    function: {
      name: 'judge_turns',
      description: 'Gives the verdict on every turn you were asked about.',
      parameters: { type: 'object', properties: { turns }, required: ['turns'] },
    },
  };
}

const verdictSchema = z.object({
  turn: z.int().positive(),
  verdict: z.enum(['keep', 'mask']),
  reason: z.string().max(MOST_REASON).default(''),
  confidence: z.number().min(0).max(1).nullable().default(null),
  why: z.string().default(''),
  cites: z.array(z.int().positive()).default([]),
});

export interface Verdict {
  step: number;
  value: 'keep' | 'mask';
  reason: string;
  /** 0 to 1; null when the judge gives none. */
  confidence: number | null;
  why: string;
  /** Cited steps, ascending; only such as were shown. */
  steps: number[];
}

/**
 * What an answer says of the turns in `asked`. Entries about other turns, entries that cannot be understood and turns with two
 * different verdicts count as missing: no turn gets a verdict that the judge did not give.
 */
export function readVerdicts(
  calls: readonly { name: string; arguments: string }[],
  window: JudgeWindow,
  asked: readonly number[],
): Verdict[] {
  const shown = new Set([...window.context, ...window.judged].map(({ step }) => step));
  const found = new Map<number, Verdict | null>();
  for (const entry of calls.flatMap(entriesOf)) {
    const parsed = verdictSchema.safeParse(entry);
    if (!parsed.success || !asked.includes(parsed.data.turn)) continue;
    const { turn, verdict, reason, confidence, why, cites } = parsed.data;
    const earlier = found.get(turn);
    if (earlier === null || (earlier !== undefined && earlier.value !== verdict)) {
      found.set(turn, null);
      continue;
    }
    const steps = [...new Set(cites)].filter((step) => shown.has(step) && step !== turn);
    found.set(turn, {
      step: turn,
      value: verdict,
      reason: oneLine(reason),
      why: oneLine(why.slice(0, 10_000)),
      confidence: reason === ONLY_FOLLOWS_HINT ? Math.min(UNSURE, confidence ?? UNSURE) : confidence,
      steps: steps.sort((one, other) => one - other).slice(0, 200),
    });
  }
  return [...found.values()].filter((verdict) => verdict !== null);
}

function entriesOf(call: { name: string; arguments: string }): unknown[] {
  if (call.name !== 'judge_turns') return [];
  try {
    const parsed: unknown = JSON.parse(call.arguments);
    const turns = (parsed as { turns?: unknown } | null)?.turns;
    return Array.isArray(turns) ? turns : [];
  } catch {
    return []; // the turns are missing, and are asked for again
  }
}

/** A judge's words are shown in one line: breaks and characters that cannot be seen become spaces. */
function oneLine(text: string): string {
  return wellFormed(text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim());
}
