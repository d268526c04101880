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
          ...{ id: info.id, computer: name, name: info.name, rests },
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
