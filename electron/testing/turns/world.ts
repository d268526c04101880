import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import { judgeAuthor } from '@shared/log/annotations';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { alice, bob } from '../run-writer';
import type { Act, DrivenStep } from './act';

/** What one process does in its turn, by numbers that a `World` turns into runs and steps that are there. */
export interface Wish {
  deed: (typeof wishes)[number];
  run: number;
  step: number;
  length: number;
  who: 0 | 1;
  pick: number;
}

/** Everything that happens in one turn, on one workspace that several processes have open. */
export type Turn =
  | { turn: 'act'; player: number; wish: Wish }
  /** Several processes write at the same moment, each about another run. */
  | { turn: 'together'; wishes: Wish[] }
  /** All processes merge the same foreign log at the same moment. */
  | { turn: 'merge_together' }
  /** A process closes the workspace and opens it again. */
  | { turn: 'reopen'; player: number }
  /** `kill -9` between two writes; the process starts again. */
  | { turn: 'kill'; player: number }
  /** `kill -9` after so many acknowledged steps of a drive that has no end. */
  | { turn: 'kill_driver'; player: number; after: number };

const wishes = [
  ...['create', 'branch', 'drive', 'drive', 'drive', 'drive', 'late_chunk', 'label', 'label', 'label_all'],
  ...[
    'parts',
    'adjudicate',
    'comment',
    'flag',
    'judge',
    'judge',
    'reward',
    'reward',
    'assign',
    'correct',
    'undo',
    'redo',
  ],
  ...[
    'queue',
    'reword',
    'withdraw',
    'rules',
    'rules',
    'rubric',
    'merge',
    'remove',
    'purge',
    'see',
    'rebuild',
    'backup',
  ],
] as const;

const wish: fc.Arbitrary<Wish> = fc.record({
  deed: fc.constantFrom(...wishes),
  run: fc.nat(50),
  step: fc.nat(50),
  length: fc.nat(8),
  who: fc.constantFrom(0 as const, 1 as const),
  pick: fc.nat(1000),
});

/** A life of a workspace: `turns` turns, by processes 0 to `players` − 1. */
export function lives(players: number, turns: number): fc.Arbitrary<Turn[]> {
  const player = fc.nat(players - 1);
  const turn: fc.Arbitrary<Turn> = fc.oneof(
    { weight: 24, arbitrary: fc.record({ turn: fc.constant('act' as const), player, wish }) },
    {
      weight: 4,
      arbitrary: fc.record({
        turn: fc.constant('together' as const),
        wishes: fc.array(wish, { minLength: players, maxLength: players }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ turn: fc.constant('merge_together' as const) }) },
    { weight: 1, arbitrary: fc.record({ turn: fc.constant('reopen' as const), player }) },
    { weight: 1, arbitrary: fc.record({ turn: fc.constant('kill' as const), player }) },
    {
      weight: 1,
      arbitrary: fc.record({
        turn: fc.constant('kill_driver' as const),
        player,
        after: fc.integer({ min: 1, max: 9 }),
      }),
    },
  );
  return fc.array(turn, { minLength: turns, maxLength: turns });
}

interface KnownRun {
  id: string;
  steps: number;
  purged: boolean;
  uid: string;
  /** The run that its oldest steps belong to: an act about a branch may write about its parents. */
  root: string;
  /** Hints that wait. */
  queued: string[];
  /** Its first steps that a parent made: a run is branched after a step of its own, or after the last of these. */
  inherited: number;
}

/** A text that is kept in a file of its own and shared by all runs that have it. */
const LARGE = ['m', 'n'].map((letter) => `${letter}${'ore output '.repeat(30_000)}`);
/** So many runs are there at once at most, so that a turn costs the same late in a life. */
const MOST_RUNS = 5;

const settings: (RuleSettings | null)[] = [
  null,
  { rules: {}, precedence: 'judge_over_rule' },
  { rules: {}, precedence: 'union' },
  { rules: { 'command-failed': { on: false, parameters: {} } } },
  { rules: { 'keep-exploration': { on: true, parameters: {} } }, precedence: 'judge_over_rule' },
];

const rubrics = [null, 'Mask what is bad.', 'Keep what helps.'];

/** Which runs and steps there are; turns wishes into acts that are the same for every workspace. */
export class World {
  private readonly runs: KnownRun[] = [];
  private readonly roots = new Map<string, string>();

  /** `foreign`: an annotation log of another device about the first run. */
  constructor(
    readonly first: string,
    private readonly foreign: string,
  ) {
    this.add(first);
  }

  /** What an act writes about: acts about different things may come in any order. */
  subject(act: Act): string {
    const run = 'run' in act ? act.run : 'target' in act ? act.target.run : null;
    if (run !== null) return this.roots.get(run) ?? run;
    return act.act === 'merge' ? this.first : act.act;
  }

  /**
   * Whether it matters which of two comes first, though they are about different things: rules find in a run what its
   * texts say, and a purge keeps what they found before.
   */
  clashes(act: Act, others: readonly Act[]): boolean {
    const purges = (each: Act) => each.act === 'remove' && each.mode === 'text';
    const derives = (each: Act) => each.act === 'rules';
    return others.some((other) => (purges(act) && derives(other)) || (derives(act) && purges(other)));
  }

  /** Null when the wish makes no sense now. `busy`: what others write about at the same moment. */
  resolve(wish: Wish, busy: ReadonlySet<string> = new Set()): Act | null {
    const run = this.runs[wish.run % this.runs.length];
    if (run === undefined || busy.has(run.root)) return null;
    const author = wish.who === 0 ? alice : bob;
    const from = (wish.step % Math.max(1, run.steps)) + 1;
    const to = Math.min(run.steps, from + wish.length);
    const target = { run: run.id, from, to };
    const one = { run: run.id, from, to: from };
    const value = wish.pick % 2 === 0 ? 'train' : 'mask';
    const annotate = (
      who: typeof alice,
      on: typeof target,
      op: Extract<Act, { act: 'annotate' }>['op'],
    ): Act | null =>
      run.steps === 0 ? null : { act: 'annotate', author: who, target: on, op, ulid: ulid() };
    const post = (op: Extract<Act, { act: 'post' }>['op']): Act => ({
      act: 'post',
      run: run.id,
      author,
      op,
      ulid: ulid(),
    });
    switch (wish.deed) {
      case 'create':
        if (this.runs.length >= MOST_RUNS) return null;
        return { act: 'create', run: this.add(ulid()).id };
      case 'branch': {
        if (this.runs.length >= MOST_RUNS || run.steps === 0 || run.purged) return null;
        const made = this.add(ulid(), run.root);
        const step = Math.max(from, run.inherited);
        made.steps = step;
        made.inherited = step;
        return { act: 'branch', run: made.id, parent: { run: run.id, step } };
      }
      case 'drive':
        return run.purged ? null : { act: 'drive', run: run.id, uid: run.uid, steps: this.drive(run, wish) };
      case 'late_chunk':
        return { act: 'late_chunk', run: run.id, uid: run.uid };
      case 'label':
        return annotate(author, target, {
          op: 'label',
          value: wish.pick % 7 === 0 ? 'clear' : value,
          reason: null,
        });
      case 'label_all':
        return annotate(
          author,
          { run: run.id, from: 1, to: run.steps },
          { op: 'label', value, reason: null },
        );
      case 'parts': {
        const parts = Array.from({ length: Math.floor((run.steps + 1) / 2) }, (_, index) => index * 2 + 1);
        if (parts.length < 2) return null;
        const pieces = { parts: parts.map((step) => ({ from: step, to: step })) };
        return annotate(
          author,
          { run: run.id, from: 1, to: parts.at(-1) ?? 1, ...pieces },
          { op: 'label', value, reason: null },
        );
      }
      case 'adjudicate':
        return annotate(author, one, { op: 'adjudicate', value, reason: 'seen' });
      case 'comment':
        return annotate(author, one, { op: 'comment', text: 'hm' });
      case 'flag':
        return annotate(author, one, { op: 'flag', on: wish.pick % 2 === 0 });
      case 'judge':
        return annotate(judgeAuthor(wish.pick % 3 === 0 ? 'One' : 'Two'), one, {
          op: 'judge',
          value: wish.pick % 2 === 0 ? 'mask' : 'keep',
          confidence: 0.9,
          reason: 'J1',
          why: 'It says so.',
          steps: [],
          rubric: 'r1',
        });
      case 'reward':
        return annotate(judgeAuthor(wish.pick % 3 === 0 ? 'One' : 'Two'), one, {
          op: 'reward',
          value: wish.pick % 2 === 0 ? 1 : -1,
          vote: 1 + (wish.pick % 2),
          text: 'It helps.',
          rubric: 'r1',
          future: true,
        });
      case 'assign':
        return annotate(alice, target, {
          op: 'assign',
          batch: ulid(),
          to: bob,
          blind: wish.pick % 2 === 0,
          on: true,
        });
      case 'correct':
        return annotate(author, one, {
          op: 'correct',
          correction: { text: 'Better', call: { name: 'think', arguments: '{}' }, note: '' },
        });
      case 'undo':
      case 'redo':
        return { act: wish.deed, run: run.id, author };
      case 'queue': {
        const hint = ulid();
        run.queued.push(hint);
        const deliver =
          wish.pick % 2 === 0 ? ({ when: 'next_step' } as const) : ({ when: 'score_changes' } as const);
        return post({ op: 'hint.queued', hint, text: `Hint ${wish.pick}`, category: 'other', deliver });
      }
      case 'reword': {
        const hint = run.queued.at(-1);
        return hint === undefined ? null : post({ op: 'hint.edited', hint, text: `Rather ${wish.pick}` });
      }
      case 'withdraw': {
        const hint = run.queued.pop();
        return hint === undefined ? null : post({ op: 'hint.withdrawn', hint });
      }
      case 'rules':
        return {
          act: 'rules',
          task: 'demo',
          settings: settings[wish.pick % settings.length] ?? null,
          author,
        };
      case 'rubric':
        return {
          act: 'rubric',
          task: 'demo',
          kind: wish.pick % 2 === 0 ? 'steps' : 'summaries',
          text: rubrics[wish.pick % rubrics.length] ?? null,
          author,
        };
      case 'merge':
        return { act: 'merge', path: this.foreign };
      case 'remove':
        if (run.id === this.first) return null;
        this.runs.splice(this.runs.indexOf(run), 1);
        return { act: 'remove', run: run.id, mode: 'run', author };
      case 'purge':
        if (run.id === this.first) return null;
        run.purged = true;
        return { act: 'remove', run: run.id, mode: 'text', author };
      case 'see':
        return { act: 'see', run: run.id, author: author.uuid };
      case 'rebuild':
        return { act: 'rebuild', run: run.id };
      case 'backup':
        return { act: 'backup' };
    }
  }

  mergeOfAll(): Act {
    return { act: 'merge', path: this.foreign };
  }

  private add(id: string, root = id): KnownRun {
    const run = { id, root, steps: 0, purged: false, uid: ulid(), queued: [], inherited: 0 };
    this.roots.set(id, root);
    this.runs.push(run);
    return run;
  }

  private drive(run: KnownRun, { length, pick }: Wish): DrivenStep[] {
    const steps = Array.from({ length: 1 + (length % 3) }, (_, index) => ({
      output:
        (pick + index) % 5 === 0
          ? (LARGE[pick % 2] ?? '')
          : `line ${pick} ${'x'.repeat((pick * 7) % 900)}\r\n`,
      exitCode: (pick + index) % 3 === 0 ? 1 : 0,
      hint: (pick + index) % 4 === 0 ? `Look at ${pick}` : null,
    }));
    run.steps += steps.length;
    return steps;
  }
}
