import type { CheckpointView } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import type { PromptView, StepDetail, StepHead, StepNote, Tile } from '@shared/contract/views';
import { type JudgedTurn, judgedTurn, TURNS_TOGETHER } from '@shared/judging/judged-turn';
import { type RewardedStep, rewardedStep } from '@shared/judging/reward-request';
import { emptyHead } from '@shared/runs/empty-head';
import { LAST_SEQ, rowId, seqOf, TILE_STEPS } from '../file/rows';
import { type OwnedSteps, ownersOf } from '../log/run-owners';
import { bounded, findRun, type ReadContext, type RunRecord, readEvents } from './read-context';
import { countTiles, MAX_HEADS, readHeads, type TileRow, tileRows } from './read-heads';
import { readPrompt } from './read-prompt';
import { readStep, readTurn, readTurns } from './read-step';

/** As `readHeads`; the steps before a branch point are those of the runs they were sampled in. */
export function readLineageHeads(context: ReadContext, ulid: string, from: number, to: number): StepHead[] {
  const run = findRun(context, ulid);
  const first = bounded(from, 1, LAST_SEQ, 'The first step');
  const last = Math.min(bounded(to, 0, LAST_SEQ, 'The last step'), first + MAX_HEADS - 1);
  const { parent } = run.facts;
  if (parent === null || first > parent.step) {
    return readHeads(context, ulid, first, last);
  }
  return ownersOf(context, run, first, last).flatMap((owned) => {
    if (owned.ulid === ulid) return readHeads(context, ulid, owned.from, owned.to);
    const heads =
      owned.run === null ? goneHeads(owned) : readHeads(context, owned.ulid, owned.from, owned.to);
    return heads.map((head) => inherited(context, run, parent.step, owned.ulid, head));
  });
}

function inherited(
  context: ReadContext,
  run: RunRecord,
  branchedAt: number,
  owner: string,
  head: StepHead,
): StepHead {
  // What happened to the parent at that very moment (it was paused, say) did not happen to the branch.
  const after =
    head.step === branchedAt
      ? [...head.after.filter(({ kind }) => kind !== 'status'), ...notesAt(context, run, branchedAt)]
      : head.after;
  return { ...head, run: run.ulid, inheritedFrom: owner, after };
}

/** What stands in the branch's own log before its first step. */
function notesAt(context: ReadContext, run: RunRecord, step: number): StepNote[] {
  return context.statements
    .all<{ body: string }>('SELECT body FROM note WHERE step = ? ORDER BY id', rowId(run.id, step))
    .map(({ body }) => JSON.parse(body) as StepNote)
    .filter(({ kind }) => kind !== 'hint');
}

/** Rows for steps whose run was removed: they stay countable and say why they are empty. */
function goneHeads({ ulid, from, to }: OwnedSteps): StepHead[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    ...emptyHead(ulid, from + index),
    kind: 'null' as const,
    title: 'The run this step was made in has been removed.',
    done: true,
    inheritedFrom: ulid,
  }));
}

/** The run in which the step was made. @throws WaymarkError not_found when it was removed */
function ownerOf(context: ReadContext, ulid: string, step: number): string {
  const run = findRun(context, ulid);
  if (run.facts.parent === null || step > run.facts.parent.step) return ulid;
  const owner = ownersOf(context, run, step, step)[0];
  if (owner === undefined || owner.run === null) {
    throw new WaymarkError(
      'not_found',
      `Step ${step} was made in run ${owner?.ulid ?? run.facts.parent.run}, which has been removed. What the branch's model read of it is in the branch's exact prompts.`,
    );
  }
  return owner.ulid;
}

export function readLineageStep(context: ReadContext, ulid: string, step: number): StepDetail {
  const owner = ownerOf(context, ulid, step);
  const detail = readStep(context, owner, step);
  return owner === ulid ? detail : { ...detail, head: { ...detail.head, run: ulid, inheritedFrom: owner } };
}

/**
 * The steps of `from..to` as a judge reads them, at most `TURNS_TOGETHER` and ascending. Left out are steps of removed runs,
 * purged ones, and one at which the model is at work or whose call still runs: it is judged next time.
 */
export function readJudgedTurns(context: ReadContext, ulid: string, from: number, to: number): JudgedTurn[] {
  const last = Math.min(to, from + TURNS_TOGETHER - 1);
  return ownersOf(context, findRun(context, ulid), from, last).flatMap((owned) => {
    if (owned.run === null) return [];
    const turns = readTurns(context, owned.run, owned.from, owned.to);
    return turns.filter(({ head, purged }) => head.done && !purged).map(judgedTurn);
  });
}

/**
 * The step with the exact request it was sampled with. Null for a summary, a purged step, one that is not over, and one whose request
 * cannot be made again as it was sent. @throws WaymarkError not_found: its run was removed
 */
export function readRewardedStep(context: ReadContext, ulid: string, step: number): RewardedStep | null {
  const owner = ownerOf(context, ulid, step);
  const turn = readTurn(context, owner, step);
  if (turn.purged || !turn.head.done || turn.head.kind === 'summary') return null;
  const prompt = readPrompt(context, owner, step);
  // Of an imported step no hash is known: what its source kept is all there is.
  return prompt.verified || prompt.sha256 === '' ? rewardedStep(turn, prompt) : null;
}

/** The prompt of an inherited step is the one its own run sent. */
export function readLineagePrompt(context: ReadContext, ulid: string, step: number): PromptView {
  return readPrompt(context, ownerOf(context, ulid, step), step);
}

export function readLineageTiles(context: ReadContext, ulid: string): Tile[] {
  const run = findRun(context, ulid);
  const tiles = new Map<number, Tile>();
  for (const { run: owner, from, to } of ownersOf(context, run, 1, run.facts.parent?.step ?? 0)) {
    const rows = owner === null ? [] : countTiles(context, owner, { from, to });
    for (const row of rows) add(tiles, row);
  }
  for (const row of tileRows(context, run)) add(tiles, row);
  return [...tiles.values()].sort((a, b) => a.first - b.first);
}

/** A branch point may lie inside a tile. */
function add(tiles: Map<number, Tile>, { id, n, train, mask, hints, errors, score }: TileRow): void {
  const first = seqOf(id) * TILE_STEPS + 1;
  const known = tiles.get(first);
  const scores = [known?.score ?? null, score].filter((each) => each !== null);
  tiles.set(first, {
    first,
    n: n + (known?.n ?? 0),
    train: train + (known?.train ?? 0),
    mask: mask + (known?.mask ?? 0),
    undecided: n - train - mask + (known?.undecided ?? 0),
    hints: hints + (known?.hints ?? 0),
    errors: errors + (known?.errors ?? 0),
    score: scores.length === 0 ? null : Math.max(...scores),
  });
}

/** Checkpoints of the run itself, oldest first; found by their notes, so no log is scanned. */
export function readCheckpoints(context: ReadContext, ulid: string): CheckpointView[] {
  const run = findRun(context, ulid);
  if (run.state.checkpoints === 0) return [];
  return context.statements
    .all<{ id: number }>(
      'SELECT id FROM note WHERE id BETWEEN ? AND ? AND body LIKE \'{"kind":"checkpoint",%\' ORDER BY id',
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    )
    .flatMap(({ id }) => readEvents(context, run, seqOf(id), seqOf(id), 1))
    .flatMap((event) =>
      event.kind === 'checkpoint.made' ? [{ ...event.body, seq: event.seq, at: event.at }] : [],
    );
}
