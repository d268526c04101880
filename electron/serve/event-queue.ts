import type { EventName, EventPayloads } from '@shared/contract/ipc';

export interface QueuedEvent {
  name: EventName;
  payload: EventPayloads[EventName];
}

/** More events than this do not wait for a slow link. */
const mostWaiting = 10_000;

/**
 * Events that wait because the way to the window is full. Of what replaces itself only the last is kept, live text is
 * dropped, so that a link that stands still holds little in memory. Nothing durable is lost: the window fetches by seq.
 */
export class EventQueue {
  private readonly waiting = new Map<string, QueuedEvent>();
  private count = 0;

  get size(): number {
    return this.waiting.size;
  }

  add<E extends EventName>(name: E, payload: EventPayloads[E]): void {
    if (name === 'live.delta') return;
    const key = this.key(name, payload);
    const before = this.waiting.get(key);
    if (before === undefined && this.waiting.size >= mostWaiting) return;
    this.waiting.set(key, { name, payload: before ? joined(name, before.payload, payload) : payload });
  }

  /** The one that waits longest. */
  next(): QueuedEvent | null {
    for (const [key, event] of this.waiting) {
      this.waiting.delete(key);
      return event;
    }
    return null;
  }

  private key(name: EventName, payload: EventPayloads[EventName]): string {
    switch (name) {
      // Each is a piece of its own; the pump has few of them under way.
      case 'live.session':
      case 'approval.asked':
        this.count += 1;
        return `${name} ${this.count}`;
      default:
        return 'run' in payload ? `${name} ${payload.run}` : name;
    }
  }
}

/** What two events of one kind and run say together. */
function joined(
  name: EventName,
  before: EventPayloads[EventName],
  payload: EventPayloads[EventName],
): EventPayloads[EventName] {
  if (name === 'labels.changed') {
    // Name and payload come in pairs; TypeScript cannot follow that through a union of names.
    const [old, fresh] = [before, payload] as [Labels, Labels];
    return { ...fresh, from: Math.min(old.from, fresh.from), to: Math.max(old.to, fresh.to) };
  }
  if (name === 'session.grew') {
    const [old, fresh] = [before, payload] as [Growth, Growth];
    const named = new Map([...old.sessions, ...fresh.sessions].map((session) => [session.uid, session]));
    return { ...fresh, sessions: [...named.values()] };
  }
  return payload;
}

type Labels = EventPayloads['labels.changed'];
type Growth = EventPayloads['session.grew'];
