import type { EventBody, NewEvent } from '@shared/log/events';
import type { HintDelivery } from '@shared/log/outbox';
import type { WaitingHint } from '@shared/runs/hint-queue';
import { ComputerUnavailable, SessionError } from '../../computer/failures';
import { isHost, isUp } from '../../computer/hosts';
import type { Computer, SessionInfo, SessionState } from '../../computer/port';

interface Seen {
  /** Id of the session's life. */
  id: string;
  computer: string;
  name: string;
  busy: boolean;
  rests: boolean;
  /** Our clock, ms, when its latest command ended; 0 before the first. */
  endedAt: number;
}

/**
 * Which sessions are idle again: at their prompt, or over, after they were busy. A command that began and ended between two
 * looks, or while nobody drove the run, is known by the stamps of the session's log. A host that is away is not idle.
 */
export class SessionIdle {
  /** By the entry that set the condition: lives of sessions that were seen busy since. */
  private readonly busy = new Map<string, Set<string>>();
  /** By life: the latest command whose end is known. */
  private readonly ends = new Map<string, { commandSeq: number; endedAt: number }>();

  constructor(private readonly computers: ReadonlyMap<string, Computer>) {}

  /** Looks at the sessions these hints wait for; by the entry that set the condition: why it holds. */
  async look(hints: readonly WaitingHint[]): Promise<Map<string, string>> {
    const wanted = hints.flatMap((hint) =>
      hint.deliver.when === 'session_idle' ? [{ ...hint.deliver, ...hint.set }] : [],
    );
    const concerned = [...this.computers].filter(([name]) =>
      wanted.some(({ computer }) => computer === '' || computer === name),
    );
    const seen = (await Promise.all(concerned.map(([name, computer]) => this.lookAt(name, computer)))).flat();
    const held = new Map<string, string>();
    for (const { entry, computer, session, at } of wanted) {
      const busy = this.busy.get(entry) ?? new Set();
      this.busy.set(entry, busy);
      for (const each of seen) {
        if (computer !== '' && computer !== each.computer) continue;
        if (session !== '' && session !== each.name) continue;
        if (each.busy) busy.add(each.id);
        else if (each.rests && (busy.has(each.id) || each.endedAt > at)) {
          held.set(entry, `${each.name} on ${each.computer} is idle again`);
        }
      }
    }
    return held;
  }

  private async lookAt(name: string, computer: Computer): Promise<Seen[]> {
    if (isHost(computer) && !isUp(computer)) return [];
    try {
      const seen: Seen[] = [];
      for (const info of await computer.sessions.list()) {
        const state = await stateOf(computer, info.name);
        if (state === undefined) continue;
        const rests = state === 'idle' || state === 'ended';
        seen.push({
          id: info.id,
          computer: name,
          name: info.name,
          rests,
          busy: state === 'busy' || state === 'waiting' || state === 'interactive',
          endedAt: rests ? await this.endOf(computer, info) : 0,
        });
      }
      return seen;
    } catch (error) {
      if (error instanceof ComputerUnavailable) return [];
      throw error;
    }
  }

  private async endOf(computer: Computer, { id, name, commandSeq }: SessionInfo): Promise<number> {
    if (commandSeq === 0) return 0;
    const known = this.ends.get(id);
    if (known?.commandSeq === commandSeq) return known.endedAt;
    const offset = isHost(computer) ? (await computer.probe()).clockOffsetMs : 0;
    const last = (await computer.sessions.commands(name)).at(-1);
    const endedAt = last?.endedAt === undefined ? 0 : last.endedAt - offset;
    if (endedAt > 0) this.ends.set(id, { commandSeq, endedAt });
    return endedAt;
  }
}

/** Undefined when the session was closed between the two looks. */
async function stateOf(computer: Computer, name: string): Promise<SessionState['state'] | undefined> {
  try {
    return (await computer.sessions.state(name)).state;
  } catch (error) {
    if (error instanceof SessionError) return undefined;
    throw error;
  }
}

/** The longest row of failures a hint can wait for. */
const MOST_FAILURES = 100;

/**
 * Run log → which conditions of waiting hints have come true. What counts is the order of the log (`WaitingHint.set.seq`),
 * so a driver that takes over after a kill comes to the same answer; only how long a GPU is idle needs the clock. Feed it
 * every event of the run in order, from the first.
 */
export class HintConditions {
  private seq = 0;
  /** Seq of the first failure of each step in the row that ends with the latest step. */
  private failures: number[] = [];
  private failed = false;
  private score: number | null = null;
  private scoreChange: { seq: number; from: number | null; to: number } | null = null;
  private readonly idleGpus = new Map<string, number>();

  apply(event: NewEvent): void {
    this.seq += 1;
    switch (event.kind) {
      case 'model.answered':
        if (event.body.kind !== 'summary') this.nextStep();
        return;
      case 'action.observed':
        if (isFailure(event.body)) this.fail();
        return;
      case 'step.taught':
        this.fail();
        return;
      case 'evaluation.ended':
        this.evaluated(event.body);
        return;
      case 'branch.began':
        this.score = event.body.spent.evaluations.last;
        return;
      case 'gpu.changed': {
        const { computer, state, since } = event.body;
        if (state === 'idle') this.idleGpus.set(computer, since);
        else this.idleGpus.delete(computer);
        return;
      }
      default:
        return;
    }
  }

  /** Why the hint's condition holds now, in a few words; null while it does not. `now`: wall clock, ms. */
  cameTrue({ deliver, set }: WaitingHint, now: number): string | null {
    switch (deliver.when) {
      case 'next_step':
      case 'wake':
      case 'session_idle':
        // Seen at the computers (`SessionIdle`), not in the log.
        return null;
      case 'score_changes':
        return this.scoreChanged(set.seq);
      case 'error_streak':
        return this.failedInARow(deliver.steps, set.seq);
      case 'gpu_idle':
        return this.gpuIdle(deliver, set.at, now);
    }
  }

  private nextStep(): void {
    if (!this.failed) this.failures = [];
    this.failed = false;
  }

  /** A step with several failed calls counts once. */
  private fail(): void {
    if (this.failed) return;
    this.failed = true;
    this.failures = [...this.failures, this.seq].slice(-MOST_FAILURES);
  }

  private evaluated({ score, forced }: EventBody<'evaluation.ended'>): void {
    if (score === null || forced) return;
    if (score !== this.score) this.scoreChange = { seq: this.seq, from: this.score, to: score };
    this.score = score;
  }

  private scoreChanged(after: number): string | null {
    const change = this.scoreChange;
    if (change === null || change.seq <= after) return null;
    return change.from === null ? `first score ${change.to}` : `score ${change.from} → ${change.to}`;
  }

  private failedInARow(steps: number, after: number): string | null {
    const row = this.failed ? this.failures.filter((seq) => seq > after).length : 0;
    return row >= steps ? `${row} failed steps in a row` : null;
  }

  /** Idle time before the hint does not count, or a hint queued over an idle machine would not wait at all. */
  private gpuIdle(
    { computer, minutes }: Extract<HintDelivery, { when: 'gpu_idle' }>,
    setAt: number,
    now: number,
  ): string | null {
    for (const [name, since] of this.idleGpus) {
      const idle = Math.floor((now - Math.max(since, setAt)) / 60_000);
      if ((computer === '' || computer === name) && idle >= minutes) {
        return `GPUs of ${name} idle for ${idle} min`;
      }
    }
    return null;
  }
}

function isFailure({ error, data }: EventBody<'action.observed'>): boolean {
  return error !== null || (typeof data.exitCode === 'number' && data.exitCode !== 0);
}
