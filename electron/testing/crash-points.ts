import type { LoopPorts } from '../agent/loop-types';

type Anything = (...input: unknown[]) => unknown;

/** One moment at which the process may die: just before a port is called, or just after it has answered. */
export interface CrashMoment {
  point: string;
  /** Which time, counted from 1. */
  time: number;
}

/**
 * Stands before every function of every port. Each call makes two points, named by port, function, what it is about, and
 * `before` or `after`. A process that dies there does nothing any more: no port answers it again. `died` resolves then.
 */
export class CrashPoints {
  /** Every moment that was passed, in order. */
  readonly passed: CrashMoment[] = [];
  readonly died: Promise<void>;
  private dead = false;
  private readonly times = new Map<string, number>();
  private die: () => void = () => undefined;

  constructor(private readonly at: CrashMoment | null) {
    this.died = new Promise((resolve) => {
      this.die = resolve;
    });
  }

  wrap(ports: LoopPorts): LoopPorts {
    return this.guard(ports, '') as LoopPorts;
  }

  private guard(target: object, path: string): object {
    return new Proxy(target, {
      get: (from, key) => {
        const value: unknown = Reflect.get(from, key, from);
        const name = path === '' ? String(key) : `${path}.${String(key)}`;
        if (typeof value === 'function') return this.call(name, value.bind(from) as Anything);
        const plain = typeof value === 'object' && value !== null && !(value instanceof AbortSignal);
        return plain ? this.guard(value, name) : value;
      },
    });
  }

  private call(name: string, run: Anything): Anything {
    return (...input) => {
      const point = `${name}${about(name, input)}`;
      this.pass(`${point} before`);
      // What answers at once changes nothing outside: a dead process may finish its sentence.
      if (this.dead && !SYNCHRONOUS.has(name)) return never();
      const result = run(...input);
      if (!(result instanceof Promise)) {
        this.pass(`${point} after`);
        return result;
      }
      return result.then(
        (value: unknown) => this.afterwards(point, () => value),
        (error: unknown) =>
          this.afterwards(point, () => {
            throw error;
          }),
      );
    };
  }

  private afterwards(point: string, settle: () => unknown): unknown {
    this.pass(`${point} after`);
    return this.dead ? never() : settle();
  }

  private pass(point: string): void {
    if (this.dead) return;
    const time = (this.times.get(point) ?? 0) + 1;
    this.times.set(point, time);
    this.passed.push({ point, time });
    if (this.at?.point === point && this.at.time === time) {
      this.dead = true;
      this.die();
    }
  }
}

/** Ports that answer at once. */
const SYNCHRONOUS: ReadonlySet<string> = new Set([
  ...[
    'control.asked',
    'control.wakes',
    'control.onWake',
    'control.changes',
    'control.onChangeAsked',
    'checkpoint.asked',
  ],
  ...['actions.tools', 'actions.parse', 'actions.guards', 'actions.approval', 'actions.offsets'],
  ...['live.emit', 'clock.now', 'clock.monotonic', 'clock.after', 'id', 'random', 'unavailable', 'cost'],
]);

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** What a call is about, where calls of one function differ. */
function about(name: string, input: readonly unknown[]): string {
  if (name === 'recorder.record') return kinds(input[0]);
  if (name === 'recorder.recordIfOutboxAt') return kinds(input[1]);
  if (name === 'actions.run' || name === 'actions.look') {
    const call = input[0];
    return typeof call === 'object' && call !== null && 'name' in call ? `(${String(call.name)})` : '';
  }
  return '';
}

function kinds(events: unknown): string {
  const all = Array.isArray(events) ? (events as { kind: string }[]) : [];
  return `(${all.map(({ kind }) => kind).join(' ')})`;
}
