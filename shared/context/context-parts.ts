import type { EventBody } from '../log/events';
import type { Kept } from './context-entry';

export interface ContextOptions {
  /** Send the model's reasoning back as `reasoning_content` (switch per endpoint; default of the paper: no). */
  sendReasoning: boolean;
  /** Only messages will be asked for: no token estimates are kept. */
  messagesOnly?: boolean;
  /**
   * The model takes images, until the log says that it was changed. Only needed where `run.created` is not among the events
   * that are fed; absent: it does.
   */
  images?: boolean;
  /** `sendReasoning` holds whatever model the run changes to (rows that keep or drop it). */
  fixedReasoning?: boolean;
}

/** What exists only for one request: it is added to the last message(s) without becoming part of the fold. */
export interface RequestExtras {
  /**
   * Added to the last message's content: budgets and time left, or what was wrong with a summary. What stays there is
   * recorded as kept and comes with the event (`tailOf`).
   */
  tail: string;
  /** Text of hints that are about to be delivered to the latest step, as `hint.delivered` will carry it. */
  hint?: string;
}

/** A summary turn that has begun and has no segment yet. */
export interface SummaryTurn {
  started: EventBody<'summary.started'>;
  /** Answers refused since it began or the run last paused. */
  rejected: number;
  /** What was wrong with the latest of them. */
  problem: string | null;
  /** Whether no request has said so yet, in a way that stays. */
  untold: boolean;
  /** Kept tails: what the summariser was told after the closing message. */
  told: string;
}

/** Summary and last summarised observation at the end of the head: one entry of the algorithm. */
export interface SummaryPair {
  /** Hints inside that observation. */
  hints: { id: string; text: string }[];
  /** Hints of all that was ever summarised, in order: the summary holds a reflection of each (ids, see `hintIdSchema`). */
  reflected: { id: string; text: string }[];
  kept: Kept | null;
}
