import { chordsOf, type KeyLayout, type KeyPress, readChord, writesLatin } from './chords';

/** One table of keys, as `chords.ts` writes them. */
export const commandTable = [
  { id: 'step.next', keys: ['j', 'ArrowDown'], group: 'move' },
  { id: 'step.previous', keys: ['k', 'ArrowUp'], group: 'move' },
  { id: 'step.nextOpen', keys: ['Shift+j'], group: 'move' },
  { id: 'step.previousOpen', keys: ['Shift+k'], group: 'move' },
  { id: 'step.first', keys: ['0', 'Home'], group: 'move' },
  { id: 'step.last', keys: ['$', 'End'], group: 'move' },
  { id: 'match.next', keys: ['n'], group: 'move' },
  { id: 'match.previous', keys: ['Shift+n'], group: 'move' },
  { id: 'hint.next', keys: ['h'], group: 'move' },
  { id: 'hint.previous', keys: ['Shift+h'], group: 'move' },
  { id: 'error.next', keys: ['x'], group: 'move' },
  { id: 'segment.next', keys: [']'], group: 'move' },
  { id: 'segment.previous', keys: ['['], group: 'move' },
  { id: 'timeline.filter', keys: ['l'], group: 'look' },
  { id: 'timeline.group', keys: ['g s'], group: 'look' },
  { id: 'timeline.fold', keys: ['g l'], group: 'look' },
  { id: 'queue.next', keys: ['q'], group: 'move' },
  { id: 'queue.previous', keys: ['Shift+q'], group: 'move' },
  { id: 'queue.judgeDiffers', keys: ['g h'], group: 'move' },
  { id: 'queue.judgeUnsure', keys: ['g y'], group: 'move' },
  { id: 'mode.watch', keys: ['g w'], group: 'move' },
  { id: 'mode.review', keys: ['g r'], group: 'move' },
  { id: 'mode.export', keys: ['g x'], group: 'move' },
  { id: 'label.train', keys: ['t'], group: 'label' },
  { id: 'label.mask', keys: ['m'], group: 'label' },
  { id: 'label.agree', keys: ['a', 'Enter'], group: 'label' },
  { id: 'label.judge', keys: ['w'], group: 'label' },
  { id: 'label.againstJudge', keys: ['Shift+w'], group: 'label' },
  { id: 'label.clear', keys: ['u'], group: 'label' },
  { id: 'label.repeat', keys: ['.'], group: 'label' },
  { id: 'label.range', keys: ['v'], group: 'label' },
  { id: 'label.rangeEnd', keys: ['Shift+v'], group: 'label' },
  { id: 'label.similar', keys: ['*'], group: 'label' },
  { id: 'label.settleTrain', keys: ['Shift+t'], group: 'label' },
  { id: 'label.settleMask', keys: ['Shift+m'], group: 'label' },
  { id: 'labels.merge', keys: [], group: 'label' },
  { id: 'labels.mergeFile', keys: [], group: 'label' },
  { id: 'labels.export', keys: [], group: 'label' },
  { id: 'retro.trim', keys: ['g m'], group: 'label' },
  { id: 'retro.dismiss', keys: ['g d'], group: 'label' },
  { id: 'reason.1', keys: ['1'], group: 'label' },
  { id: 'reason.2', keys: ['2'], group: 'label' },
  { id: 'reason.3', keys: ['3'], group: 'label' },
  { id: 'reason.4', keys: ['4'], group: 'label' },
  { id: 'reason.5', keys: ['5'], group: 'label' },
  { id: 'reason.6', keys: ['6'], group: 'label' },
  { id: 'reason.7', keys: ['7'], group: 'label' },
  { id: 'reason.8', keys: ['8'], group: 'label' },
  { id: 'reason.9', keys: ['9'], group: 'label' },
  { id: 'keep.sleep', keys: ['r s'], group: 'label' },
  { id: 'keep.debugging', keys: ['r d'], group: 'label' },
  { id: 'keep.exploration', keys: ['r e'], group: 'label' },
  { id: 'keep.backup', keys: ['r b'], group: 'label' },
  { id: 'label.undo', keys: ['z', 'Mod+z'], group: 'label' },
  { id: 'label.redo', keys: ['Shift+z', 'Mod+Shift+z'], group: 'label' },
  { id: 'label.flag', keys: ['f'], group: 'note' },
  { id: 'label.comment', keys: ['c'], group: 'note' },
  { id: 'label.correct', keys: ['y'], group: 'note' },
  { id: 'look.prompt', keys: ['e'], group: 'look' },
  { id: 'look.promptDiff', keys: ['Shift+e'], group: 'look' },
  { id: 'look.diff', keys: ['d'], group: 'look' },
  { id: 'look.fileHistory', keys: ['b'], group: 'look' },
  { id: 'look.queries', keys: ['s'], group: 'look' },
  { id: 'look.expand', keys: ['o'], group: 'look' },
  { id: 'look.expandAll', keys: ['Shift+o'], group: 'look' },
  { id: 'look.terminal', keys: ['`'], group: 'look' },
  { id: 'look.terminalWall', keys: ['Mod+`'], group: 'look' },
  { id: 'hint.compose', keys: ['i'], group: 'steer' },
  { id: 'hint.queue', keys: ['Mod+Enter'], group: 'steer' },
  { id: 'hint.try', keys: ['Mod+Shift+Enter'], group: 'steer' },
  { id: 'hint.outbox', keys: ['g i'], group: 'steer' },
  { id: 'run.control', keys: ['p'], group: 'steer' },
  { id: 'app.escape', keys: ['Escape'], group: 'steer' },
  { id: 'run.branch', keys: ['g b'], group: 'steer' },
  { id: 'run.checkpoints', keys: ['g k'], group: 'steer' },
  { id: 'run.lineage', keys: ['g f'], group: 'steer' },
  { id: 'run.judge', keys: ['g a'], group: 'everywhere' },
  { id: 'run.rubric', keys: ['g z'], group: 'everywhere' },
  { id: 'app.search', keys: ['/'], group: 'everywhere' },
  { id: 'app.palette', keys: ['Mod+k'], group: 'everywhere' },
  { id: 'app.flush', keys: ['Mod+s'], group: 'everywhere' },
  { id: 'app.newRun', keys: ['Mod+n'], group: 'everywhere' },
  { id: 'app.plots', keys: ['g p'], group: 'everywhere' },
  { id: 'app.judgeQuality', keys: ['g g'], group: 'everywhere' },
  { id: 'app.experiments', keys: ['g e'], group: 'everywhere' },
  { id: 'run.compare', keys: ['g v'], group: 'everywhere' },
  { id: 'app.rules', keys: ['g u'], group: 'everywhere' },
  { id: 'app.import', keys: ['Mod+i'], group: 'everywhere' },
  { id: 'app.inbox', keys: ['g n'], group: 'everywhere' },
  { id: 'app.jobs', keys: ['g j'], group: 'everywhere' },
  { id: 'app.queue', keys: ['g q'], group: 'everywhere' },
  { id: 'queue.rest', keys: ['g t'], group: 'label' },
  { id: 'app.computers', keys: ['g c'], group: 'everywhere' },
  { id: 'app.remote', keys: ['g o'], group: 'everywhere' },
  { id: 'app.settings', keys: ['Mod+,'], group: 'everywhere' },
  { id: 'app.nextPane', keys: ['F6'], group: 'everywhere' },
  { id: 'app.previousPane', keys: ['Shift+F6'], group: 'everywhere' },
  { id: 'app.shortcuts', keys: ['?', 'F1'], group: 'everywhere' },
  { id: 'app.about', keys: [], group: 'everywhere' },
] as const satisfies readonly { id: string; keys: readonly string[]; group: string }[];

export type CommandId = (typeof commandTable)[number]['id'];
export type CommandGroup = (typeof commandTable)[number]['group'];

/** Where the person is when a key goes down. */
export type KeyScope = 'page' | 'typing' | 'terminal' | 'dialog';

/** A bare key types a character or moves; it rests wherever the person may be typing. */
function isBare(chord: string): boolean {
  return !/(^|\+)(Mod|Ctrl|Meta|Alt)\+/.test(chord) && !/(^|\+)F\d+$/.test(chord);
}

/** The keys of a command: the person's own when set, else the default ones. */
export function keysOf(id: CommandId, own: Readonly<Record<string, string>>): readonly string[] {
  const chosen = own[id];
  if (chosen !== undefined && chosen !== '') return [readChord(chosen)];
  return commandTable.find((command) => command.id === id)?.keys ?? [];
}

/** True when the command may fire here. */
function allowed(id: CommandId, chord: string, scope: KeyScope): boolean {
  if (scope === 'page') return true;
  if (scope === 'dialog') return false; // a dialog handles its own keys
  if (id === 'hint.queue' || id === 'app.escape') return scope === 'typing';
  if (scope === 'typing' && /\+z$/.test(chord)) return false; // the field's own undo
  return !isBare(chord);
}

/** Turns key presses into commands; remembers the first half of a two-key chord for one second. */
export class Keymap {
  private readonly byChord = new Map<string, CommandId>();
  private readonly starts = new Set<string>();
  private first: { chords: readonly string[]; at: number } | null = null;
  /** What the last letter said about the script; signs that two scripts place differently go by it. */
  private latin = true;

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

  /**
   * @param layout What the keyboard prints; null while unknown.
   * @returns the command to run, `'wait'` in the middle of a two-key chord, or null when the key is not ours.
   */
  press(
    event: KeyPress,
    scope: KeyScope,
    now: number,
    layout: KeyLayout | null = null,
  ): CommandId | 'wait' | null {
    this.latin = writesLatin(event) ?? this.latin;
    const chords = chordsOf(event, { mac: this.mac, layout, latin: this.latin });
    if (chords.length === 0) return null;
    const first = this.first;
    this.first = null;
    if (first !== null && now - first.at < 1000) {
      for (const chord of chords) {
        const both = this.second(first.chords, chord);
        if (both !== undefined) return allowed(both, chord, scope) ? both : null;
      }
    }
    for (const chord of chords) {
      const id = this.byChord.get(chord);
      if (id !== undefined) return allowed(id, chord, scope) ? id : null;
      if (scope === 'page' && this.starts.has(chord)) {
        this.first = { chords, at: now };
        return 'wait';
      }
    }
    return null;
  }

  private second(firsts: readonly string[], chord: string): CommandId | undefined {
    for (const first of firsts) {
      const id = this.byChord.get(`${first} ${chord}`);
      if (id !== undefined) return id;
    }
    return undefined;
  }
}
