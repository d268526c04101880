import type { Failure } from '@shared/contract/errors';
import type { CommandName, EventName, EventPayloads } from '@shared/contract/ipc';

/** What the main process answers to a command; a `Failure` refuses it. */
type Answers = Partial<Record<CommandName, (input: never) => unknown>>;

/** A main process for tests of stores: answers commands, remembers them, and sends events. */
export class BridgeStand {
  readonly calls: [CommandName, unknown][] = [];
  private readonly listeners = new Map<EventName, Set<(payload: unknown) => void>>();
  private readonly whenOnline = new Set<() => void>();

  constructor(readonly answers: Answers) {
    const stand = {
      waymark: {
        invoke: async (command: CommandName, input: unknown) => {
          this.calls.push([command, input]);
          const answer = this.answers[command];
          if (answer === undefined)
            return refusal({ code: 'not_found', message: `${command} is not answered` });
          try {
            return { ok: true, value: await (answer as (given: unknown) => unknown)(input) };
          } catch (thrown) {
            return refusal(thrown as Failure);
          }
        },
        on: (event: EventName, listener: (payload: unknown) => void) => {
          const known = this.listeners.get(event) ?? new Set();
          this.listeners.set(event, known.add(listener));
          return () => known.delete(listener);
        },
      },
      addEventListener: (_event: string, listener: () => void) => this.whenOnline.add(listener),
      removeEventListener: (_event: string, listener: () => void) => this.whenOnline.delete(listener),
    };
    // A page has its window already (`page-fixtures.tsx`).
    if ('happyDOM' in globalThis) Object.assign(window, { waymark: stand.waymark });
    else Object.assign(globalThis, { window: stand });
  }

  send<E extends EventName>(event: E, payload: EventPayloads[E]): void {
    for (const listener of this.listeners.get(event) ?? []) listener(payload);
  }

  /** The machine's network came back. */
  online(): void {
    for (const listener of this.whenOnline) listener();
  }

  /** How many listeners there are, of events of either kind. */
  listening(): number {
    return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0) + this.whenOnline.size;
  }
}

function refusal(error: Failure) {
  return { ok: false, error };
}

/** Resolves once everything that was answered has been taken in. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
