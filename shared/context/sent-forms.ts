import type { EventBody, RunEvent } from '../log/events';
import { type ContextFold, tailOf } from './context';
import type { ContextEntry, Kept } from './context-entry';
import type { SavedFold } from './context-state';

/** What a step was asked with besides its messages. */
export interface AskedWith {
  step: number;
  /** The request held the reasoning of earlier steps. */
  reasoning: boolean;
  /** It held images; else a text that names them. */
  images: boolean;
  /** What its last message ended with in that one request (logs from before lines of budgets were kept); else ''. */
  tail: string;
}

/** Images that are only named from then on. */
interface LeavingOut {
  /** Observations that showed images until then, see `keyOf`. */
  observations: ReadonlySet<string>;
  /** Those of the head were shown until then. */
  head: boolean;
  /** Steps of the segment that were answered before it. */
  after: number;
}

/** A message, by its step (0: the head), whose images later requests only name, and the steps whose requests had shown them. */
export interface LeftOut {
  step: number;
  held: number[];
}

interface Shortening {
  step: number;
  call: number;
  /** What was kept of the observation until then. */
  before: Kept | null;
  /** Steps of the segment that were answered before it. */
  after: number;
}

/**
 * In which forms the messages of a segment were sent. A message only grows while it is the last one; afterwards it changes when
 * an observation is shortened, when images are left out, and when the run goes on with a model that gets reasoning back or takes images and the one before
 * did not, or the other way round. Feed it every event before the context gets it.
 */
export class SentForms {
  private reasoning = false;
  private images = true;
  private tail = '';
  private answered: AskedWith[] = [];
  private shortenings: Shortening[] = [];
  private leavings: LeavingOut[] = [];

  /** All that it holds, as data that a structured clone keeps. */
  save(): SavedFold {
    const { reasoning, images, tail, answered, shortenings, leavings } = this;
    return { reasoning, images, tail, answered, shortenings, leavings };
  }

  restore(saved: SavedFold): void {
    Object.assign(this, saved);
  }

  apply(event: RunEvent, context: Pick<ContextFold, 'entries' | 'pair' | 'headLeftOut'>): void {
    switch (event.kind) {
      case 'run.created':
      case 'model.changed':
        this.reasoning = event.body.model.sendReasoning;
        this.images = event.body.model.images === true;
        return;
      case 'segment.started':
        this.answered = [];
        this.shortenings = [];
        this.leavings = [];
        return;
      case 'model.requested':
        this.tail = tailOf(event.body);
        return;
      case 'model.answered':
        if (event.body.kind !== 'summary') this.answered.push({ ...this.now, step: event.body.step });
        this.tail = '';
        return;
      case 'context.shortened': {
        const { step, call } = event.body;
        const before = keptOf(context, step, call);
        this.shortenings.push({ step, call, before, after: this.answered.length });
        return;
      }
      case 'context.images_left_out': {
        const observations = shownUpTo(context.entries, event.body);
        this.leavings.push({ observations, head: !context.headLeftOut, after: this.answered.length });
        return;
      }
      default:
        return;
    }
  }

  /** What the latest request was sent with. */
  get now(): Omit<AskedWith, 'step'> {
    return { reasoning: this.reasoning, images: this.images, tail: this.tail };
  }

  /** Of the answered steps in `own`, in order. */
  askedWith(own: readonly number[]): AskedWith[] {
    const wanted = new Set(own);
    return this.answered.filter(({ step }) => wanted.has(step));
  }

  /**
   * The entry as the request of step `last` held it: what was shortened later was sent whole, and images that were left out
   * later were shown. Observations of `last` itself came after that request and stay as they are.
   */
  entryAsOf(last: number, entry: ContextEntry): ContextEntry {
    if (entry.step === last) return entry;
    const undone = this.since(last).filter(({ step }) => step === entry.step);
    const shown = entry.observations.some((each) => this.shownAt(last, entry.step, each));
    if (undone.length === 0 && !shown) return entry;
    const observations = entry.observations.map((each) => {
      const first = undone.find(({ call }) => call === each.call);
      const whole = first === undefined ? each : { ...each, kept: first.before };
      return this.shownAt(last, entry.step, each) ? { ...whole, leftOut: false } : whole;
    });
    return { ...entry, observations };
  }

  /** What the request of step `last` held of the last summarised observation. */
  pairAsOf(last: number, pair: { kept: Kept | null } | null): Kept | null {
    const first = this.since(last).find(({ step }) => step === 0);
    return first === undefined ? (pair?.kept ?? null) : first.before;
  }

  /** Observations that were shortened before step `last` was asked for, with the steps whose requests had held more of them. */
  shortened(last: number): { step: number; call: number; held: number[] }[] {
    const until = this.indexOf(last);
    const found = new Map<string, { step: number; call: number; held: number[] }>();
    for (const { step, call, after } of this.shortenings) {
      if (after > until) continue;
      const held = this.answered.slice(0, after).flatMap((each) => (each.step > step ? [each.step] : []));
      found.set(`${step} ${call}`, { step, call, held });
    }
    return [...found.values()].filter(({ held }) => held.length > 0);
  }

  /** Whether the request of step `last` only named the images of the head; `now`: whether they are by now. */
  headLeftOutAt(last: number, now: boolean): boolean {
    return now && !this.leavings.some(({ head, after }) => head && after > this.indexOf(last));
  }

  /** Messages whose images were left out before step `last` was asked for, one entry for each time and message. */
  leftOut(last: number, entries: readonly ContextEntry[]): LeftOut[] {
    const until = this.indexOf(last);
    const held = (step: number, after: number) =>
      this.answered.slice(0, after).flatMap((each) => (each.step > step ? [each.step] : []));
    const of = entries.flatMap(({ step, observations }) => {
      const times = new Set(observations.flatMap((each) => this.leavingOf(step, each)?.after ?? []));
      return [...times].flatMap((after) => (after > until ? [] : [{ step, held: held(step, after) }]));
    });
    const head = this.leavings.find((each) => each.head);
    const ofHead = head === undefined || head.after > until ? [] : [{ step: 0, held: held(0, head.after) }];
    return [...ofHead, ...of].filter((each) => each.held.length > 0);
  }

  /** The images of this observation were left out, and only after step `last` was asked for. */
  private shownAt(last: number, step: number, observation: ContextEntry['observations'][number]): boolean {
    const first = this.leavingOf(step, observation);
    return first !== undefined && first.after > this.indexOf(last);
  }

  /** Which of the segment's leavings reached it; undefined: none. */
  private leavingOf(step: number, { call }: ContextEntry['observations'][number]): LeavingOut | undefined {
    const key = keyOf(step, call);
    return this.leavings.find(({ observations }) => observations.has(key));
  }

  private since(last: number): Shortening[] {
    const until = this.indexOf(last);
    return this.shortenings.filter(({ after }) => after > until);
  }

  private indexOf(step: number): number {
    return this.answered.findIndex((each) => each.step === step);
  }
}

function keptOf(
  { entries, pair }: Pick<ContextFold, 'entries' | 'pair'>,
  step: number,
  call: number,
): Kept | null {
  const entry = entries.find((each) => each.step === step);
  const observation = entry?.observations.find((each) => each.call === call);
  return (observation ?? (step === 0 ? pair : null))?.kept ?? null;
}

const keyOf = (step: number, call: number) => `${step} ${call}`;

/** Observations up to the one named, with images that were not left out before. */
function shownUpTo(
  entries: readonly ContextEntry[],
  until: Pick<EventBody<'context.images_left_out'>, 'step' | 'call'>,
): Set<string> {
  const keys = new Set<string>();
  for (const { step, observations } of entries) {
    for (const { call, images, leftOut = false } of observations) {
      const reached = step < until.step || (step === until.step && call <= until.call);
      if (reached && images !== undefined && !leftOut) keys.add(keyOf(step, call));
    }
  }
  return keys;
}
