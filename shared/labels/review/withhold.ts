import type { StepQuery } from '../../contract/step-query';
import type { StepRange } from '../../contract/step-range';
import type { LabelStack, RunSummary, SegmentView, StepDetail, StepHead, Tile } from '../../contract/views';
import type { Author } from '../../log/annotations';

/**
 * Blind second opinions: what a person may be sent of a step that they are to decide blind and have not decided yet. Each
 * function names every field of what it hands out, so that a new field is withheld until somebody has thought about it.
 */

const none = { value: null, source: null, reason: null, disagreement: false } as const;

/** A timeline row without anybody's opinion, machines' included. What the step did and what followed stays. */
export function withheldHead(head: StepHead): StepHead {
  return {
    run: head.run,
    step: head.step,
    id: head.id,
    segment: head.segment,
    at: head.at,
    kind: head.kind,
    tool: head.tool,
    title: head.title,
    observation: head.observation,
    done: head.done,
    ok: head.ok,
    errorCode: head.errorCode,
    exitCode: head.exitCode,
    bytes: head.bytes,
    score: head.score,
    imitatesHuman: head.imitatesHuman,
    guards: head.guards,
    label: { ...none },
    rules: [],
    by: [],
    decided: [],
    marks: [],
    judge: null,
    computer: head.computer,
    withheld: true,
    flagged: false,
    comments: 0,
    inheritedFrom: head.inheritedFrom,
    after: head.after,
  };
}

/** Opinions of a step as its blind reader may know them: what they said themselves, and who is to review it. */
export function withheldStack(stack: LabelStack, viewer: string): LabelStack {
  return {
    effective: { ...none },
    why: { code: 'no_label', params: {} },
    humans: [],
    rules: [],
    judges: [],
    corrections: stack.corrections.filter(({ author }) => author.uuid === viewer),
    comments: stack.comments.filter(({ author }) => author.uuid === viewer),
    assigned: stack.assigned,
    history: stack.history
      .filter(({ author, body }) => author.uuid === viewer || body.op === 'assign')
      // The ids of what its author had seen tell how many have spoken.
      .map((entry) => ({ ...entry, supersedes: [] })),
    withheld: true,
  };
}

export function withheldDetail(detail: StepDetail, viewer: string): StepDetail {
  return {
    head: withheldHead(detail.head),
    text: detail.text,
    reasoning: detail.reasoning,
    usage: detail.usage,
    cost: detail.cost,
    durationMs: detail.durationMs,
    model: detail.model,
    observations: detail.observations,
    shortened: detail.shortened,
    taught: detail.taught,
    hintText: detail.hintText,
    files: detail.files,
    labels: withheldStack(detail.labels, viewer),
    scoreThen: detail.scoreThen,
    offsets: detail.offsets,
    imported: detail.imported,
  };
}

/** What holds for withheld steps, so that counts can be given without it. Ascending, without overlap. */
export interface HiddenLabels extends StepRange {
  value: 'train' | 'mask' | null;
  disagreement: boolean;
  /** By some person. */
  decided: boolean;
}

interface Counts {
  train: number;
  mask: number;
  undecided: number;
  disagreement: number;
}

/** What the hidden steps of `from..to` would add to counts. */
export function hiddenIn(
  hidden: readonly HiddenLabels[],
  from: number,
  to: number,
): Counts & { decided: number } {
  const counts = { train: 0, mask: 0, undecided: 0, disagreement: 0, decided: 0 };
  for (const piece of hidden) {
    const n = Math.min(piece.to, to) - Math.max(piece.from, from) + 1;
    if (n <= 0) continue;
    counts[piece.value ?? 'undecided'] += n;
    if (piece.disagreement) counts.disagreement += n;
    if (piece.decided) counts.decided += n;
  }
  return counts;
}

/** Counts as they would be if nobody had said anything about the hidden steps of `from..to`. */
export function withheldCounts<T extends Counts>(
  counts: T,
  hidden: readonly HiddenLabels[],
  from = 1,
  to = Number.MAX_SAFE_INTEGER,
): T {
  const out = hiddenIn(hidden, from, to);
  return {
    ...counts,
    train: counts.train - out.train,
    mask: counts.mask - out.mask,
    undecided: counts.undecided + out.train + out.mask,
    disagreement: counts.disagreement - out.disagreement,
  };
}

export function withheldSummary(run: RunSummary, hidden: readonly HiddenLabels[]): RunSummary {
  return { ...run, labels: withheldCounts(run.labels, hidden) };
}

export function withheldSegments(
  segments: readonly SegmentView[],
  hidden: readonly HiddenLabels[],
): SegmentView[] {
  return segments.map((segment) => ({
    ...segment,
    counts: withheldCounts(segment.counts, hidden, segment.firstStep, segment.lastStep),
  }));
}

/** @param steps Steps per tile. */
export function withheldTiles(
  tiles: readonly Tile[],
  hidden: readonly HiddenLabels[],
  steps: number,
): Tile[] {
  let next = 0;
  return tiles.map((tile) => {
    const last = tile.first + steps - 1;
    while ((hidden[next]?.to ?? Number.POSITIVE_INFINITY) < tile.first) next += 1;
    const inside: HiddenLabels[] = [];
    for (let at = next; (hidden[at]?.from ?? Number.POSITIVE_INFINITY) <= last; at += 1) {
      const piece = hidden[at];
      if (piece !== undefined) inside.push(piece);
    }
    const out = hiddenIn(inside, tile.first, last);
    return {
      ...tile,
      train: tile.train - out.train,
      mask: tile.mask - out.mask,
      undecided: tile.undecided + out.train + out.mask,
    };
  });
}

/** Whether a withheld step can match what a query asks about opinions: it looks like one nobody has said anything about. */
export function matchesUnspoken({ label, source, marks, rule }: StepQuery): boolean {
  return (
    (label === undefined || label.includes('undecided')) &&
    (source === undefined || source.includes('none')) &&
    marks === undefined &&
    rule === undefined
  );
}

/** Whether a query asks about opinions at all. */
export function asksOpinions({ label, source, marks, rule }: StepQuery): boolean {
  return label !== undefined || source !== undefined || marks !== undefined || rule !== undefined;
}

/** The query without what it asks about opinions. */
export function withoutOpinions({
  label: _l,
  source: _s,
  marks: _m,
  rule: _r,
  ...rest
}: StepQuery): StepQuery {
  return rest;
}

/** An assignment speaks of a person by identity, or by name when whoever assigned knew no more. */
export function isFor(to: { uuid: string }, person: Author): boolean {
  return to.uuid === person.uuid || to.uuid === `name:${person.name}`;
}
