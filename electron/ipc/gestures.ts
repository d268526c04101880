import { type Result, toFailure, WaymarkError } from '@shared/contract/errors';
import { commands } from '@shared/contract/ipc';
import type { Consent } from '@shared/contract/ipc/parts';
import type { InputEvent, WebContents } from 'electron';

/** A press counts this long, ms. */
const freshMs = 1_000;
/** What follows from a command that a press allowed comes no later than this after the press, ms. */
const chainMs = 10_000;
/** Somebody sits there, ms. */
const presentMs = 60_000;

const presses: ReadonlySet<string> = new Set(['mouseDown', 'keyDown', 'rawKeyDown', 'touchStart']);
/** A button held long acts when it is let go. */
const releases: ReadonlySet<string> = new Set(['mouseUp', 'keyUp', 'touchEnd']);

/** Of the window's commands, as their rows say. */
const commandConsents: Readonly<Record<string, Consent>> = Object.fromEntries(
  Object.entries(commands).map(([name, { consent }]) => [name, consent]),
);

/**
 * When a person last pressed something, as the process saw it that gets input from the system. A page can make events of
 * its own, and they are not seen here. Keys that repeat while they are held down are one press.
 */
export class Gestures {
  private readonly now: () => number;
  private at = Number.NEGATIVE_INFINITY;
  private allowedEnd = Number.NEGATIVE_INFINITY;
  private unused = false;
  private types = false;

  private readonly consents: Readonly<Record<string, Consent>>;

  /**
   * @param now a clock that is never set back, ms
   * @param consents of the commands of the page that is watched
   */
  constructor(
    now: () => number = () => performance.now(),
    consents: Readonly<Record<string, Consent>> = commandConsents,
  ) {
    this.now = now;
    this.consents = consents;
  }

  /** Watches a page for as long as it is there. */
  watch(contents: Pick<WebContents, 'on'>): void {
    contents.on('input-event', (_event: unknown, input: InputEvent) => {
      const { type, modifiers } = input;
      if (modifiers?.includes('isautorepeat')) return;
      if (presses.has(type)) this.note(typesCharacter(input));
      else if (releases.has(type)) this.at = this.now();
    });
  }

  /** A person pressed something: in the page, in the menu, or in a dialog of the system. `types`: it was a character. */
  note(types = false): void {
    this.types = types;
    this.at = this.now();
    this.unused = true;
  }

  /**
   * Does `work` if the person's input allows the command `name`; what is no command is left to `work`, which refuses it.
   * Never throws where `work` does not.
   */
  async guard(name: unknown, work: () => Promise<Result<unknown>>): Promise<Result<unknown>> {
    if (typeof name !== 'string' || !Object.hasOwn(this.consents, name)) return work();
    const consent = this.consents[name] ?? 'native';
    if (!this.allows(consent)) return { ok: false, error: toFailure(unseen(name)) };
    const answer = await work();
    if (consent === 'gesture' || consent === 'press') this.allowedEnd = this.now();
    return answer;
  }

  private allows(consent: Consent): boolean {
    const now = this.now();
    const since = now - this.at;
    switch (consent) {
      case 'free':
      case 'native':
        return true;
      case 'present':
        return since <= presentMs;
      case 'choice':
        return !this.types && this.allows('gesture');
      case 'gesture':
        return since <= freshMs || (since <= chainMs && now - this.allowedEnd <= freshMs);
      case 'press': {
        const allowed = this.unused && since <= freshMs;
        if (allowed) this.unused = false;
        return allowed;
      }
    }
  }
}

/** Keys of the keyboard carry what they print, which the type of the event does not say. */
function typesCharacter(input: InputEvent & { key?: string }): boolean {
  const chord = ['control', 'ctrl', 'meta', 'command', 'cmd'].some((name) =>
    input.modifiers?.includes(name as never),
  );
  return input.key?.length === 1 && !chord;
}

function unseen(name: string): WaymarkError {
  return new WaymarkError(
    'refused',
    'Waymark does this only right after you press a key or click, and it saw neither. Nothing was done; try again.',
    name,
  );
}
