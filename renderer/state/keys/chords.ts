import { create } from 'zustand';

/**
 * A chord names what its key prints, on whatever layout: `t`, `Shift+z`, `Mod+k`, `?`, `F6`, `Enter`. Mod is Ctrl, on
 * macOS Cmd. Shift is part of a chord with letters and named keys only; of anything else that is printed it chose the
 * character. Two chords with a space between are pressed one after the other.
 */

/** What a key event must tell; a `KeyboardEvent` fits. */
export interface KeyPress {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  isComposing?: boolean;
  getModifierState?(modifier: 'AltGraph'): boolean;
}

/** `KeyboardEvent.code` → what the key prints alone, on the layout that can write Latin letters. */
export type KeyLayout = ReadonlyMap<string, string>;

export interface ChordContext {
  mac: boolean;
  /** Null while unknown: then places are read as on a US keyboard. */
  layout?: KeyLayout | null;
  /** False while another script is being written: then a key is known by its place, where its Latin sign is. */
  latin?: boolean;
}

/** Printed alone and with Shift on a US keyboard, whose places the Latin signs of other scripts' keyboards have. */
const usSigns: Readonly<Record<string, readonly [string, string]>> = {
  Backquote: ['`', '~'],
  Minus: ['-', '_'],
  Equal: ['=', '+'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
  Backslash: ['\\', '|'],
  Semicolon: [';', ':'],
  Quote: ["'", '"'],
  Comma: [',', '<'],
  Period: ['.', '>'],
  Slash: ['/', '?'],
};
const shiftedDigits = ')!@#$%^&*(';

/** Presses that an input method has, that only hold another key, or that mean nothing. */
const notOurs = new Set([
  ...['Process', 'Unidentified', 'Compose', 'Alphanumeric', 'Convert', 'NonConvert'],
  ...[
    'Shift',
    'Control',
    'Alt',
    'Meta',
    'AltGraph',
    'CapsLock',
    'NumLock',
    'ScrollLock',
    'Fn',
    'Hyper',
    'Super',
  ],
]);

/**
 * The chords that a press may stand for, the likeliest first; none for a modifier alone and for what an input method
 * has. First what the key wrote. Then what its place says, where a person looks for it: on the row of digits, which
 * print theirs with Shift on some layouts; left of 1, whose key is dead on many; and in another script.
 */
export function chordsOf(press: KeyPress, { mac, layout = null, latin = true }: ChordContext): string[] {
  const { key, code } = press;
  if (press.isComposing === true || key === '' || notOurs.has(key)) return [];
  const altGraph = press.getModifierState?.('AltGraph') === true;
  const mod = !altGraph && (mac ? press.metaKey : press.ctrlKey);
  const other = !altGraph && (mac ? press.ctrlKey : press.metaKey);
  const held = [mod ? 'Mod' : '', other ? (mac ? 'Ctrl' : 'Meta') : ''];
  const join = (sign: string, alt: boolean) => {
    const name = sign === ' ' ? 'Space' : sign === '+' ? 'Plus' : letter(sign);
    const shift = press.shiftKey && (name.length > 1 || isLetter(name));
    return [...held, alt ? 'Alt' : '', shift ? 'Shift' : '', name].filter((part) => part !== '').join('+');
  };
  const writes = isSign(key);
  if (!writes && key !== 'Dead') return [join(key, press.altKey && !altGraph)];
  // Option chooses the character on macOS as AltGr does elsewhere.
  const level3 = altGraph || (mac && press.altKey);
  const written = writes ? key : (layout?.get(code) ?? '');
  const byKey =
    written !== '' && (!level3 || !isLetter(written)) ? [join(written, press.altKey && !level3)] : [];
  const place = altGraph ? null : signAt(code, press.shiftKey, layout);
  if (place === null) return byKey;
  const byPlace = join(place, press.altKey);
  if (!latin || isOtherScript(written)) return distinct([byPlace, ...byKey]);
  if (level3) return /^[!-~]$/.test(written) ? [...byKey, byPlace] : [byPlace];
  const looked = /^Digit\d$/.test(code) || code === 'Backquote';
  return looked && !press.shiftKey ? distinct([...byKey, byPlace]) : byKey;
}

/** Whether a letter of another script than Latin was written; null when the press says nothing about it. */
export function writesLatin({ key }: Pick<KeyPress, 'key'>): boolean | null {
  if (!isSign(key) || !isLetter(key)) return null;
  return !isOtherScript(key);
}

/**
 * A chord from settings. Those of former versions name places (`KeyT`, `Shift+Slash`); they are read as what their
 * places print on a US keyboard, as they were shown.
 */
export function readChord(stored: string): string {
  return stored
    .split(' ')
    .map((part) => {
      const pieces = part.split('+');
      const code = pieces.pop() ?? '';
      const sign = usSignAt(code, pieces.includes('Shift'));
      if (sign === null) return part;
      const held = isLetter(sign) ? pieces : pieces.filter((piece) => piece !== 'Shift');
      return [...held, sign === '+' ? 'Plus' : sign].join('+');
    })
    .join(' ');
}

const printed: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
  Escape: 'Esc',
  Space: '␣',
  Plus: '+',
};

/** The caps to print for a chord: `Shift+z` is `Z`, `g w` two caps, `Mod+n` is `Ctrl N`. */
export function capsOf(chord: string, mod: string, layout: KeyLayout | null): string[] {
  return chord.split(' ').map((part) => {
    const pieces = part.split('+');
    const name = pieces.pop() ?? '';
    const held = pieces.map((piece) => (piece === 'Mod' ? mod : piece));
    if (name.length === 1 && isLetter(name)) {
      if (held.length === 0) return name;
      return held.length === 1 && held[0] === 'Shift'
        ? name.toUpperCase()
        : [...held, name.toUpperCase()].join(' ');
    }
    return [...held, name === '`' ? leftOfOne(layout) : (printed[name] ?? name)].join(' ');
  });
}

/** The grave accent is the key left of 1 where no key prints it alone. */
function leftOfOne(layout: KeyLayout | null): string {
  if (layout === null || [...layout.values()].includes('`')) return '`';
  return layout.get('Backquote') ?? '`';
}

function signAt(code: string, shift: boolean, layout: KeyLayout | null): string | null {
  const us = usSignAt(code, shift);
  if (us === null || /^Digit/.test(code) || code === 'Backquote') return us;
  const here = layout?.get(code);
  // The layout does not tell what Shift prints.
  if (here === undefined || !/^[!-~]$/.test(here)) return us;
  return isLetter(here) || !shift ? here : us;
}

function usSignAt(code: string, shift: boolean): string | null {
  const key = /^Key([A-Z])$/.exec(code)?.[1];
  if (key !== undefined) return key.toLowerCase();
  const digit = /^Digit(\d)$/.exec(code)?.[1];
  if (digit !== undefined) return shift ? (shiftedDigits[Number(digit)] ?? null) : digit;
  return usSigns[code]?.[shift ? 1 : 0] ?? null;
}

/** One character; a name such as Enter has more. */
function isSign(key: string): boolean {
  return [...key].length === 1;
}

function isLetter(sign: string): boolean {
  return /^\p{L}$/u.test(sign);
}

/** Marks too: Thai vowels are keys of their own. µ is common to scripts and says nothing. */
function isOtherScript(sign: string): boolean {
  return (
    /^[\p{L}\p{M}]$/u.test(sign) && !/^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]$/u.test(sign)
  );
}

/** CapsLock writes other letters and presses no other key. İ is the capital of i. */
function letter(sign: string): string {
  return isLetter(sign) ? (sign === 'İ' ? 'i' : sign.toLowerCase()) : sign;
}

function distinct(chords: readonly string[]): string[] {
  return [...new Set(chords)];
}

/** What Chromium adds to `navigator`; TypeScript's library does not list it. */
interface LayoutReader {
  keyboard?: { getLayoutMap(): Promise<KeyLayout> };
}

/** What the keys of this keyboard print, as the system says; null until it answered. */
export const useKeyLayout = create<{ layout: KeyLayout | null }>()(() => ({ layout: null }));

/** Follows the system's layout; nothing reports a change, so each return to the window asks again. */
export function startKeyLayout(): () => void {
  const read = () => {
    const { keyboard } = navigator as LayoutReader;
    keyboard?.getLayoutMap().then(
      (layout) => useKeyLayout.setState({ layout: new Map(layout) }),
      // The system may refuse while another window is in front; chords work without, and caps are those of a US keyboard.
      () => undefined,
    );
  };
  read();
  window.addEventListener('focus', read);
  return () => window.removeEventListener('focus', read);
}
