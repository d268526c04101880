import type { RunEvent } from '@shared/events';
import type { FileEdit } from './file-sight';

/** What a rule found about a step. */
export interface Finding {
  step: number;
  /** One sentence that names the evidence. */
  why: string;
  /** Other steps that belong to the finding, ascending. */
  steps: number[];
}

/** What earlier events make of this one; folded once for all rules. */
export interface EventFacts {
  /** Content changes by this event, with what had been seen of the file. */
  edits: FileEdit[];
}

/** Rules read stored events only; a change of meaning is a new `version`. */
export interface Rule {
  id: string;
  version: number;
  effect: 'mask' | 'keep';
  /** A hard mask is lifted only by a person with a reason. */
  hard: boolean;
  /** The rule in one sentence. */
  text: string;
  /** Where the rule comes from. */
  citation: string;
  parameters: Readonly<Record<string, number | string | boolean>>;
  /** One function per run; gets every event in order and must cost O(1) amortised. */
  start(): (event: RunEvent, facts: EventFacts) => Finding[];
}
