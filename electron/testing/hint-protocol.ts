import type { OutboxOp } from '@shared/log/outbox';
import { ulid } from 'ulid';
import type { LoopPorts } from '../agent/loop-types';
import type { ModelAnswer } from '../agent/ports';
import type { Store } from '../store/api';
import { Gate, GatedLog } from './gated-log';
import { HintReference } from './hint-reference';
import { LoopStand } from './loop-stand';
import { Killed } from './memory-run-log';

/** What the world may do next in a schedule. */
export type Move = 'driver' | 'crash' | { person: string };

export interface Schedule {
  /** Operations a person may do, by name; each once, in any order the protocol allows. */
  operations: Readonly<Record<string, (ids: Record<'A' | 'B', string>) => OutboxOp>>;
  /** Which of them may be done only after which. */
  after: Readonly<Record<string, string>>;
  mostOperations: number;
  mostCrashes: number;
  /** Whether the driver hears of new entries before it asks. */
  told: boolean;
  /** See `GatedLog`. */
  careless?: boolean;
  /** Actions of the agent, step by step; the run ends with the last, which must be `finish`. */
  actions: readonly string[];
}

/** One run in a real store, under a real loop, driven move by move. */
export class HintProtocol {
  private readonly ids = { A: ulid(), B: ulid() };
  private readonly log: GatedLog;
  private readonly stand: LoopStand;
  private readonly bodies: string[] = [];
  private readonly done = new Set<string>();
  private crashes = 0;
  private driving: Promise<void> | null = null;
  private alive = false;
  private tooLate = false;

  private constructor(
    private readonly store: Store,
    private readonly schedule: Schedule,
  ) {
    this.log = new GatedLog(store, ulid(), new HintReference());
    this.log.told = schedule.told;
    this.log.careless = schedule.careless === true;
    this.stand = new LoopStand({
      model: { baseUrl: 'http://127.0.0.1:1/v1' },
      log: this.log,
      wrap: (ports) => this.wrap(ports),
    });
  }

  /** A new run, and nobody who drives it yet. */
  static async begin(store: Store, schedule: Schedule): Promise<HintProtocol> {
    const protocol = new HintProtocol(store, schedule);
    await protocol.log.begun;
    return protocol;
  }

  /** The moves open now; none at the end of the schedule. */
  moves(): Move[] {
    const { operations, after, mostOperations, mostCrashes } = this.schedule;
    const { reference, gate } = this.log;
    const moves: Move[] = [];
    const over = reference.ended && !this.alive;
    if (!over) moves.push('driver');
    // After the end one operation shows as much as several.
    if (this.done.size < mostOperations && (!over || !this.tooLate)) {
      const open = Object.keys(operations).filter((name) => {
        const first = after[name];
        return !this.done.has(name) && (first === undefined || this.done.has(first));
      });
      moves.push(...open.map((person) => ({ person })));
    }
    if (this.alive && gate.at !== null && this.crashes < mostCrashes) moves.push('crash');
    return moves;
  }

  async make(move: Move): Promise<void> {
    if (move === 'driver') {
      await this.letOn();
    } else if (move === 'crash') {
      await this.crash();
    } else {
      this.done.add(move.person);
      this.tooLate ||= this.log.reference.ended && !this.alive;
      const operation = this.schedule.operations[move.person];
      if (operation !== undefined) await this.log.person(operation(this.ids));
    }
  }

  /** What went wrong, once no move is open. */
  async problems(verify: boolean): Promise<string[]> {
    const { log } = this;
    const { reader } = this.store;
    const { reference, run } = log;
    const wrong = [...log.wrong];
    log.close();
    const { hints } = await reader.hints(run);
    const shown = hints.map(({ id, text, state }) => `${id} ${state} ${text}`);
    const expected = [...reference.hints.values()].map(({ id, text, state }) => `${id} ${state} ${text}`);
    if (shown.join() !== expected.join()) wrong.push(`shown ${shown} instead of ${expected}`);
    for (const { id } of hints) {
      const times = log.events.filter(
        (event) => event.kind === 'hint.delivered' && event.body.hints.some((hint) => hint.id === id),
      ).length;
      if (times > 1) wrong.push(`hint ${id} was delivered ${times} times`);
    }
    wrong.push(...this.sentWrongly());
    if (this.stand.unverified() > 0) wrong.push('a request cannot be rebuilt from the log');
    if (verify) {
      const { runs } = await reader.verify([run]);
      wrong.push(...runs.flatMap(({ problems }) => problems.map(({ message }) => message)));
    }
    return wrong;
  }

  /** A delivered hint stands once in each request from its own on, and in none before. */
  private sentWrongly(): string[] {
    const requests = this.log.events.filter((event) => event.kind === 'model.requested');
    const wrong: string[] = [];
    for (const event of this.log.events) {
      if (event.kind !== 'hint.delivered') continue;
      for (const { text } of event.body.hints) {
        const tag = `<real_user>${text}</real_user>`;
        for (const request of requests) {
          const body = this.bodies.find((each) => each.startsWith(request.body.sha256));
          const times = (body?.split(tag).length ?? 1) - 1;
          const should = body !== undefined && request.seq > event.seq ? 1 : 0;
          if (times !== should)
            wrong.push(`"${text}" stands ${times} times in the request of seq ${request.seq}`);
        }
      }
    }
    return wrong;
  }

  private wrap(ports: LoopPorts): LoopPorts {
    const { gate } = this.log;
    const { actions } = this.schedule;
    return {
      ...ports,
      model: {
        ask: async ({ body, sha256 }) => {
          this.bodies.push(`${sha256} ${body}`);
          await gate.pass('answer');
          const given = body.split('"role":"assistant"').length - 1;
          return { ok: true, answer: answerWith(actions[Math.min(given, actions.length - 1)] ?? 'finish') };
        },
      },
    };
  }

  /** Starts a driver, or lets it on to its next gate or its end. */
  private async letOn(): Promise<void> {
    const { gate } = this.log;
    if (this.alive) {
      gate.at?.go();
    } else {
      this.log.gate = new Gate();
      this.alive = true;
      this.driving = this.stand.drive().then(
        () => this.over(),
        (error: unknown) => {
          this.over();
          if (!(error instanceof Killed)) this.log.wrong.push(`The driver failed: ${String(error)}`);
        },
      );
    }
    await Promise.race([this.log.gate.arrival(), this.driving]);
  }

  private over(): void {
    this.alive = false;
  }

  private async crash(): Promise<void> {
    const { gate } = this.log;
    this.crashes += 1;
    gate.dead = true;
    gate.at?.kill();
    await this.driving;
  }
}

function answerWith(name: string): ModelAnswer {
  return {
    text: name,
    reasoning: '',
    calls: [{ id: `call_${ulid()}`, name, arguments: '{}' }],
    finishReason: 'tool_calls',
    model: 'scripted',
    usage: null,
  };
}
