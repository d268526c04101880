/**
 * One table of keys. A chord is a `KeyboardEvent.code` with its modifiers, so that it stays on the same key in
 * every layout: `KeyT`, `Shift+KeyZ`, `Mod+KeyK` (Mod is Ctrl, on macOS Cmd). Two chords with a space between
 * are pressed one after the other.
 */
export const commandTable = [
  { id: 'step.next', keys: ['KeyJ', 'ArrowDown'], group: 'move' },
  { id: 'step.previous', keys: ['KeyK', 'ArrowUp'], group: 'move' },
  { id: 'step.nextOpen', keys: ['Shift+KeyJ'], group: 'move' },
  { id: 'step.previousOpen', keys: ['Shift+KeyK'], group: 'move' },
  { id: 'step.first', keys: ['Digit0', 'Home'], group: 'move' },
  { id: 'step.last', keys: ['Shift+Digit4', 'End'], group: 'move' },
  { id: 'match.next', keys: ['KeyN'], group: 'move' },
  { id: 'match.previous', keys: ['Shift+KeyN'], group: 'move' },
  { id: 'hint.next', keys: ['KeyH'], group: 'move' },
  { id: 'hint.previous', keys: ['Shift+KeyH'], group: 'move' },
  { id: 'error.next', keys: ['KeyX'], group: 'move' },
  { id: 'segment.next', keys: ['BracketRight'], group: 'move' },
  { id: 'segment.previous', keys: ['BracketLeft'], group: 'move' },
  { id: 'timeline.filter', keys: ['KeyL'], group: 'look' },
  { id: 'timeline.group', keys: ['KeyG KeyS'], group: 'look' },
  { id: 'timeline.fold', keys: ['KeyG KeyL'], group: 'look' },
  { id: 'queue.next', keys: ['KeyQ'], group: 'move' },
  { id: 'queue.previous', keys: ['Shift+KeyQ'], group: 'move' },
  { id: 'mode.watch', keys: ['KeyG KeyW'], group: 'move' },
  { id: 'mode.review', keys: ['KeyG KeyR'], group: 'move' },
  { id: 'mode.export', keys: ['KeyG KeyX'], group: 'move' },
  { id: 'label.train', keys: ['KeyT'], group: 'label' },
  { id: 'label.mask', keys: ['KeyM'], group: 'label' },
  { id: 'label.agree', keys: ['KeyA', 'Enter'], group: 'label' },
  { id: 'label.clear', keys: ['KeyU'], group: 'label' },
  { id: 'label.repeat', keys: ['Period'], group: 'label' },
  { id: 'label.range', keys: ['KeyV'], group: 'label' },
  { id: 'label.rangeEnd', keys: ['Shift+KeyV'], group: 'label' },
  { id: 'label.similar', keys: ['Shift+Digit8'], group: 'label' },
  { id: 'label.settleTrain', keys: ['Shift+KeyT'], group: 'label' },
  { id: 'label.settleMask', keys: ['Shift+KeyM'], group: 'label' },
  { id: 'labels.merge', keys: [], group: 'label' },
  { id: 'labels.mergeFile', keys: [], group: 'label' },
  { id: 'labels.export', keys: [], group: 'label' },
  { id: 'retro.trim', keys: ['KeyG KeyM'], group: 'label' },
  { id: 'retro.dismiss', keys: ['KeyG KeyD'], group: 'label' },
  { id: 'reason.1', keys: ['Digit1'], group: 'label' },
  { id: 'reason.2', keys: ['Digit2'], group: 'label' },
  { id: 'reason.3', keys: ['Digit3'], group: 'label' },
  { id: 'reason.4', keys: ['Digit4'], group: 'label' },
  { id: 'reason.5', keys: ['Digit5'], group: 'label' },
  { id: 'reason.6', keys: ['Digit6'], group: 'label' },
  { id: 'reason.7', keys: ['Digit7'], group: 'label' },
  { id: 'reason.8', keys: ['Digit8'], group: 'label' },
  { id: 'reason.9', keys: ['Digit9'], group: 'label' },
  { id: 'label.undo', keys: ['KeyZ', 'Mod+KeyZ'], group: 'label' },
  { id: 'label.redo', keys: ['Shift+KeyZ', 'Mod+Shift+KeyZ'], group: 'label' },
  { id: 'label.flag', keys: ['KeyF'], group: 'note' },
  { id: 'label.comment', keys: ['KeyC'], group: 'note' },
  { id: 'label.correct', keys: ['KeyY'], group: 'note' },
  { id: 'look.prompt', keys: ['KeyE'], group: 'look' },
  { id: 'look.promptDiff', keys: ['Shift+KeyE'], group: 'look' },
  { id: 'look.diff', keys: ['KeyD'], group: 'look' },
  { id: 'look.fileHistory', keys: ['KeyB'], group: 'look' },
  { id: 'look.queries', keys: ['KeyS'], group: 'look' },
  { id: 'look.expand', keys: ['KeyO'], group: 'look' },
  { id: 'look.expandAll', keys: ['Shift+KeyO'], group: 'look' },
  { id: 'look.terminal', keys: ['Backquote'], group: 'look' },
  { id: 'look.terminalWall', keys: ['Mod+Backquote'], group: 'look' },
  { id: 'hint.compose', keys: ['KeyI'], group: 'steer' },
  { id: 'hint.queue', keys: ['Mod+Enter'], group: 'steer' },
  { id: 'hint.try', keys: ['Mod+Shift+Enter'], group: 'steer' },
  { id: 'hint.outbox', keys: ['KeyG KeyI'], group: 'steer' },
  { id: 'run.control', keys: ['KeyP'], group: 'steer' },
  { id: 'app.escape', keys: ['Escape'], group: 'steer' },
  { id: 'run.branch', keys: ['KeyG KeyB'], group: 'steer' },
  { id: 'run.checkpoints', keys: ['KeyG KeyK'], group: 'steer' },
  { id: 'run.lineage', keys: ['KeyG KeyF'], group: 'steer' },
  { id: 'app.search', keys: ['Slash'], group: 'everywhere' },
  { id: 'app.palette', keys: ['Mod+KeyK'], group: 'everywhere' },
  { id: 'app.flush', keys: ['Mod+KeyS'], group: 'everywhere' },
  { id: 'app.newRun', keys: ['Mod+KeyN'], group: 'everywhere' },
  { id: 'app.plots', keys: ['KeyG KeyP'], group: 'everywhere' },
  { id: 'app.rules', keys: ['KeyG KeyU'], group: 'everywhere' },
  { id: 'app.import', keys: ['Mod+KeyI'], group: 'everywhere' },
  { id: 'app.inbox', keys: ['KeyG KeyN'], group: 'everywhere' },
  { id: 'app.queue', keys: ['KeyG KeyQ'], group: 'everywhere' },
  { id: 'queue.rest', keys: ['KeyG KeyT'], group: 'label' },
  { id: 'app.computers', keys: ['KeyG KeyC'], group: 'everywhere' },
  { id: 'app.remote', keys: ['KeyG KeyO'], group: 'everywhere' },
  { id: 'app.settings', keys: ['Mod+Comma'], group: 'everywhere' },
  { id: 'app.nextPane', keys: ['F6'], group: 'everywhere' },
  { id: 'app.previousPane', keys: ['Shift+F6'], group: 'everywhere' },
  { id: 'app.shortcuts', keys: ['Shift+Slash', 'F1'], group: 'everywhere' },
  { id: 'app.about', keys: [], group: 'everywhere' },
] as const satisfies readonly { id: string; keys: readonly string[]; group: string }[];

export type CommandId = (typeof commandTable)[number]['id'];
export type CommandGroup = (typeof commandTable)[number]['group'];

/** Where the person is when a key goes down. */
export type KeyScope = 'page' | 'typing' | 'terminal' | 'dialog';

/** What a key event must tell; a `KeyboardEvent` fits. */
export interface KeyPress {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const modifierCodes = /^(Shift|Control|Alt|Meta)(Left|Right)$/;

/** The chord of a key event, or null for a modifier alone. Mod is the platform's command modifier. */
export function chordOf(press: KeyPress, mac: boolean): string | null {
  if (press.code === '' || modifierCodes.test(press.code)) return null;
  const mod = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  return [
    mod ? 'Mod' : '',
    other ? (mac ? 'Ctrl' : 'Meta') : '',
    press.altKey ? 'Alt' : '',
    press.shiftKey ? 'Shift' : '',
    press.code === 'NumpadEnter' ? 'Enter' : press.code,
  ]
    .filter((part) => part !== '')
    .join('+');
}

/** A bare key types a character or moves; it rests wherever the person may be typing. */
function isBare(chord: string): boolean {
  return !/(^|\+)(Mod|Ctrl|Meta|Alt)\+/.test(chord) && !/(^|\+)F\d+$/.test(chord);
}

/** The keys of a command: the person's own when set, else the default ones. */
export function keysOf(id: CommandId, own: Readonly<Record<string, string>>): readonly string[] {
  const chosen = own[id];
  if (chosen !== undefined && chosen !== '') return [chosen];
  return commandTable.find((command) => command.id === id)?.keys ?? [];
}

/** True when the command may fire here. */
function allowed(id: CommandId, chord: string, scope: KeyScope): boolean {
  if (scope === 'page') return true;
  if (scope === 'dialog') return false; // a dialog handles its own keys
  if (id === 'hint.queue' || id === 'app.escape') return scope === 'typing';
  if (scope === 'typing' && /KeyZ$/.test(chord)) return false; // the field's own undo
  return !isBare(chord);
}

/** Turns key presses into commands; remembers the first half of a two-key chord for one second. */
export class Keymap {
  private readonly byChord = new Map<string, CommandId>();
  private readonly starts = new Set<string>();
  private first: { chord: string; at: number } | null = null;

  /** @param own Command id → chord, from the settings; a person's chord beats a default one on the same key. */
  constructor(
    own: Readonly<Record<string, string>>,
    private readonly mac: boolean,
  ) {
    for (const personal of [false, true]) {
      for (const { id } of commandTable) {
        const chosen = own[id];
        if ((chosen !== undefined && chosen !== '') !== personal) continue;
        for (const chord of keysOf(id, own)) {
          this.byChord.set(chord, id);
          const [start, rest] = chord.split(' ');
          if (start !== undefined && rest !== undefined) this.starts.add(start);
        }
      }
    }
  }

  /** @returns the command to run, `'wait'` in the middle of a two-key chord, or null when the key is not ours. */
  press(event: KeyPress, scope: KeyScope, now: number): CommandId | 'wait' | null {
    const chord = chordOf(event, this.mac);
    if (chord === null) return null;
    const first = this.first;
    this.first = null;
    if (first !== null && now - first.at < 1000) {
      const both = this.byChord.get(`${first.chord} ${chord}`);
      if (both !== undefined) return allowed(both, chord, scope) ? both : null;
    }
    const id = this.byChord.get(chord);
    if (id !== undefined) return allowed(id, chord, scope) ? id : null;
    if (scope === 'page' && this.starts.has(chord)) {
      this.first = { chord, at: now };
      return 'wait';
    }
    return null;
  }
}

const printed: Record<string, string> = {
  Slash: '/',
  Period: '.',
  Comma: ',',
  Backquote: '`',
  BracketLeft: '[',
  BracketRight: ']',
  Minus: '-',
  Equal: '=',
  Semicolon: ';',
  Quote: "'",
  Backslash: '\\',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  Escape: 'Esc',
  Space: '␣',
};
const shifted: Record<string, string> = {
  Slash: '?',
  Digit4: '$',
  Digit8: '*',
  Backquote: '~',
  Period: '>',
  Comma: '<',
};

/** The caps to print for a chord: `Shift+KeyZ` is `Z`, `KeyG KeyW` two caps, `Mod+KeyN` is `Ctrl N`. */
export function capsOf(chord: string, mod: string): string[] {
  return chord.split(' ').map((part) => {
    const pieces = part.split('+');
    const code = pieces.pop() ?? '';
    const shift = pieces.includes('Shift');
    const letter = /^Key([A-Z])$/.exec(code)?.[1];
    const digit = /^Digit(\d)$/.exec(code)?.[1];
    const others = pieces
      .filter((piece) => piece !== 'Shift')
      .map((piece) => (piece === 'Mod' ? mod : piece));
    if (letter !== undefined && others.length === 0) return shift ? letter : letter.toLowerCase();
    if (shift && shifted[code] !== undefined && others.length === 0) return shifted[code] ?? code;
    const key = letter ?? digit ?? printed[code] ?? code;
    return [...others, ...(shift ? ['Shift'] : []), key].join(' ');
  });
}
