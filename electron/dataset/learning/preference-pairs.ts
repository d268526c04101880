import { createHash } from 'node:crypto';
import { escapeHumanTag, escapeHumanTagInJson } from '@shared/context/human-tag';
import type { Correction } from '@shared/log/annotations';
import type { ChatMessage, ChatToolCall } from '@shared/log/chat';
import type { Tool } from '@shared/log/event-parts';
import { finalScore } from '@shared/runs/scores';
import type { ExportPlan, RowPlan } from '../plan';
import type { DatasetRow } from '../rows';
import type { RunPlan, StepPlan } from '../run-plan';
import { fitsForm } from '../targets/chat-record';
import { DropCounts } from '../targets/drop-counts';
import { type AssistantMessage, type OwnAnswer, ownAnswers, withoutMask } from '../targets/own-answers';
import type { TargetDrop } from '../targets/target';
import { sameAnswer, sameTurn } from './shared-prompt';

/** One side of a pair, and where it comes from. */
export interface PairSide {
  answer: AssistantMessage;
  run: string;
  step: number;
  id: string;
  /** The model that gave it; null: a person. */
  model: string | null;
  /** Final score of the run, else its best one; null: none, or the answer is a person's. */
  score: number | null;
  scoreIs: 'final' | 'best' | null;
}

/** Two answers to one prompt, of which one is better. */
export interface PreferencePair {
  kind: 'correction' | 'branch';
  /** What the chosen answer was asked with. */
  prompt: ChatMessage[];
  chosen: PairSide;
  rejected: PairSide;
  tools: readonly Tool[];
  row: RowPlan;
  /** How many of the prompt's messages both answers were asked with; the others differ in what was added at their end. */
  sharedMessages: number;
  /** Who corrected it. */
  by: string | null;
  /** Points between the two; null where a person corrected. */
  gap: number | null;
}

const pairDrops = {
  sameCorrection: 'A correction says what the model said, or what another person said',
  notScored: 'A run of the branch was never scored',
  tie: 'Both runs of the branch have the same score',
  otherForm: 'A call cannot be written as an object without changing its arguments',
  otherPrompt: 'The runs were not shown the same up to where they differ',
  sameAnswers: 'The runs give the same answers as far as they are compared',
  masked: 'The better answer is masked',
} as const;

const NOT_SEEN = 'One of two runs of a branch has no row here, or no finished step after it';

/** Answers after the branch that are compared until two differ. */
const COMPARED = 4;

/** A run at the step after which it and others parted. */
interface Member {
  run: RunPlan;
  /** The first step it sampled there; null: none that is finished. */
  step: number | null;
}

/** What is kept of a member once its row was seen. */
interface Met extends Pick<PairSide, 'run' | 'score' | 'scoreIs'> {
  /** Messages before what was shown last, by number and hash. */
  before: number;
  hash: string;
  tools: string;
  /** What was shown last before the first answer. */
  shown: ChatMessage[];
  answers: MetAnswer[];
}

interface MetAnswer extends Pick<OwnAnswer, 'message' | 'mask' | 'after'> {
  step: number;
  id: string;
  model: string;
}

/** For `RecordMaker.save`. */
interface SavedPairs {
  met: Met[][];
  compared: number;
  drops: ReturnType<DropCounts<keyof typeof pairDrops>['save']>;
}

interface Group {
  members: Member[];
  met: Met[];
}

/**
 * Finds pairs row by row: from corrections within a row, and from branches once the rows of two siblings were seen. Of a sibling
 * only the hash of its prompt and its first answers after the branch are kept, until the last one was seen.
 */
export class PairFinder {
  private readonly groups: readonly Group[];
  private readonly waiting = new Map<string, Group[]>();
  private readonly drops = new DropCounts(pairDrops);
  /** Pairs of siblings that were compared. */
  private compared = 0;

  /** `form`: how arguments of calls are written. */
  constructor(
    { runs }: Pick<ExportPlan, 'runs'>,
    private readonly form: 'string' | 'object',
  ) {
    this.groups = branchGroups(runs);
    for (const group of this.groups) {
      for (const { run, step } of group.members) {
        const key = `${run.created.run} ${step}`;
        this.waiting.set(key, [...(this.waiting.get(key) ?? []), group]);
      }
    }
  }

  *pairsOf(row: DatasetRow): Generator<PreferencePair> {
    const answers = ownAnswers(row);
    for (const answer of answers) yield* this.corrected(row, answer);
    if (row.plan.kind !== 'react') return;
    for (const [index, { step }] of answers.entries()) {
      const key = `${row.plan.run.created.run} ${step.step}`;
      for (const group of this.waiting.get(key) ?? []) {
        const met = meet(row, answers.slice(index, index + COMPARED));
        for (const other of group.met) {
          this.compared += 1;
          const pair = this.siblings(row, met, other);
          if (pair !== null) yield pair;
        }
        group.met.push(met);
        if (group.met.length === group.members.length) group.met = [];
      }
      this.waiting.delete(key);
    }
  }

  /** Of the corrections and pairs of siblings that came up; siblings that were not both seen count as well. */
  dropped(): TargetDrop[] {
    const all = this.groups.reduce((sum, { members: { length } }) => sum + (length * (length - 1)) / 2, 0);
    const unseen = all - this.compared;
    return [...this.drops.list(), ...(unseen > 0 ? [{ why: NOT_SEEN, count: unseen }] : [])];
  }

  private drop(why: keyof typeof pairDrops): null {
    this.drops.add(why);
    return null;
  }

  /** For `RecordMaker.save`; the plan says the rest. */
  save(): SavedPairs {
    return { met: this.groups.map(({ met }) => met), compared: this.compared, drops: this.drops.save() };
  }

  restore(saved: unknown): void {
    const { met, compared, drops } = saved as SavedPairs;
    for (const [index, group] of this.groups.entries()) group.met = met[index] ?? [];
    this.compared = compared;
    this.drops.restore(drops);
  }

  private fitting(pair: PreferencePair): PreferencePair | null {
    const messages = [...pair.prompt, pair.chosen.answer, pair.rejected.answer];
    return messages.every((message) => fitsForm(message, this.form)) ? pair : this.drop('otherForm');
  }

  private *corrected(row: DatasetRow, { step, at, message }: OwnAnswer): Generator<PreferencePair> {
    const { reasoning_content: _, ...sampled } = message;
    const said: AssistantMessage[] = [sampled];
    for (const { correction, author } of step.corrections) {
      const answer = correctedAnswer(correction, step, sampled.tool_calls?.[0]);
      if (said.some((other) => sameAnswer(other, answer))) {
        this.drop('sameCorrection');
        continue;
      }
      said.push(answer);
      const run = row.plan.run.created.run;
      const place = { run, step: step.step, id: step.id, score: null, scoreIs: null };
      const pair = this.fitting({
        kind: 'correction',
        prompt: row.messages.slice(0, at).map(withoutMask),
        chosen: { answer, ...place, model: null },
        rejected: { answer: sampled, ...place, model: step.model.model },
        tools: row.tools,
        row: row.plan,
        sharedMessages: at,
        by: author.name,
        gap: null,
      });
      if (pair !== null) yield pair;
    }
  }

  private siblings(row: DatasetRow, a: Met, b: Met): PreferencePair | null {
    if (a.score === null || b.score === null) return this.drop('notScored');
    const gap = a.score - b.score;
    if (gap === 0) return this.drop('tie');
    const alike = a.before === b.before && a.hash === b.hash && a.tools === b.tools;
    if (!alike || !sameTurn(a.shown, b.shown, true)) return this.drop('otherPrompt');
    const [better, worse] = gap > 0 ? [a, b] : [b, a];
    const prompt = [...row.messages.slice(0, a.before).map(withoutMask), ...better.shown];
    for (let index = 0; ; index += 1) {
      const [one, other] = [better.answers[index], worse.answers[index]];
      if (one === undefined || other === undefined) return this.drop('sameAnswers');
      if (!sameAnswer(one.message, other.message)) {
        if (one.mask === 0) return this.drop('masked');
        return this.fitting({
          kind: 'branch',
          prompt,
          chosen: sideOf(one, better),
          rejected: sideOf(other, worse),
          tools: row.tools,
          row: row.plan,
          sharedMessages: a.before,
          by: null,
          gap: Math.abs(gap),
        });
      }
      if (!sameTurn(one.after, other.after, false)) return this.drop('otherPrompt');
      prompt.push(one.message, ...one.after);
    }
  }
}

function sideOf({ message, step, id, model }: MetAnswer, { run, score, scoreIs }: Met): PairSide {
  return { answer: message, run, step, id, model, score, scoreIs };
}

function scoreOf({ scores }: RunPlan): Pick<PairSide, 'score' | 'scoreIs'> {
  const final = finalScore(scores);
  if (final !== null) return { score: final, scoreIs: 'final' };
  return scores.best === null ? { score: null, scoreIs: null } : { score: scores.best, scoreIs: 'best' };
}

/** Runs that parted after the same step: the one that it was made in, and the branches that begin there. */
function branchGroups(runs: readonly RunPlan[]): Group[] {
  const groups = new Map<string, Group>();
  const byId = new Map(runs.map((run) => [run.created.run, run]));
  for (const run of runs) {
    const { parent } = run.created;
    if (parent === null) continue;
    const key = `${parent.run} ${parent.step}`;
    const group = groups.get(key) ?? { members: [], met: [] };
    if (!groups.has(key)) {
      groups.set(key, group);
      const owner = byId.get(parent.run);
      if (owner !== undefined) group.members.push({ run: owner, step: stepAfter(owner, parent.step) });
    }
    group.members.push({ run, step: stepAfter(run, parent.step) });
  }
  return [...groups.values()].filter(({ members }) => members.length > 1);
}

/** The first finished step after that one, summary turns left out. */
function stepAfter({ segments }: RunPlan, step: number): number | null {
  const later = segments.flatMap(({ steps }) => steps.map((each) => each.step)).filter((each) => each > step);
  return later.length === 0 ? null : later.reduce((least, each) => Math.min(least, each));
}

function meet(row: DatasetRow, answers: OwnAnswer[]): Met {
  const at = answers[0]?.at ?? 0;
  const messages = row.messages.slice(0, at).map(withoutMask);
  const spoken = messages.findLastIndex(({ role }) => role === 'assistant');
  const before = spoken < 0 ? Math.max(0, at - 1) : spoken + 1;
  const hash = createHash('sha256');
  for (const message of messages.slice(0, before)) hash.update(`${JSON.stringify(message)}\n`);
  return {
    run: row.plan.run.created.run,
    ...scoreOf(row.plan.run),
    before,
    hash: hash.digest('hex'),
    tools: JSON.stringify(row.tools),
    shown: messages.slice(before),
    answers: answers.map(({ step, message, mask, after }) => ({
      step: step.step,
      id: step.id,
      model: step.model.model,
      message,
      mask,
      after,
    })),
  };
}

/**
 * The correction as the model would have said it. It keeps the id of the call that it replaces, so that nothing but what is said
 * tells the two answers apart. Only the outbox may hold the human tag.
 */
function correctedAnswer(
  { text, call }: Correction,
  { id }: StepPlan,
  replaced: ChatToolCall | undefined,
): AssistantMessage {
  return {
    role: 'assistant',
    tool_calls: [
      {
        id: replaced?.id ?? id,
        type: 'function',
        function: { name: call.name, arguments: escapeHumanTagInJson(call.arguments) },
      },
    ],
    content: escapeHumanTag(text),
  };
}
