import { describe, expect, it } from 'vitest';
import { en } from '../../text/en';
import { press } from './chord-fixtures';
import { commandTable, Keymap, keysOf } from './keymap';

describe('the table of keys', () => {
  it('gives each chord to one command', () => {
    const all = commandTable.flatMap((command) => command.keys);
    expect(all.filter((chord, index) => all.indexOf(chord) !== index)).toEqual([]);
  });

  it('has a name for every command', () => {
    for (const { id } of commandTable) expect(en.shortcuts.command(id), id).toBeTruthy();
  });
});

describe('Keymap', () => {
  it('turns a bare key into its command on the page', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(press('t', 'KeyT'), 'page', 0)).toBe('label.train');
    expect(keymap.press(press('J', 'KeyJ', { shiftKey: true }), 'page', 0)).toBe('step.nextOpen');
  });

  it('lets bare keys rest while typing, in a terminal and in a dialog', () => {
    const keymap = new Keymap({}, false);
    for (const { id, keys } of commandTable) {
      for (const chord of keys) {
        if (chord.includes('Mod+') || chord.includes('F6') || chord.includes('F1') || chord.includes(' '))
          continue;
        const shiftKey = chord.startsWith('Shift+');
        const down = press(chord.replace('Shift+', ''), '', { shiftKey });
        if (id !== 'app.escape') expect(keymap.press(down, 'typing', 0), chord).toBeNull();
        expect(keymap.press(down, 'terminal', 0), chord).toBeNull();
        expect(keymap.press(down, 'dialog', 0), chord).toBeNull();
      }
    }
  });

  it('keeps the undo of a text field, and queues and leaves from it', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(press('z', 'KeyZ', { ctrlKey: true }), 'typing', 0)).toBeNull();
    expect(keymap.press(press('z', 'KeyZ', { ctrlKey: true }), 'page', 0)).toBe('label.undo');
    expect(keymap.press(press('Enter', 'Enter', { ctrlKey: true }), 'typing', 0)).toBe('hint.queue');
    expect(keymap.press(press('Escape', 'Escape'), 'typing', 0)).toBe('app.escape');
  });

  it('knows two keys pressed one after the other, within a second', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(press('g', 'KeyG'), 'page', 0)).toBe('wait');
    expect(keymap.press(press('r', 'KeyR'), 'page', 400)).toBe('mode.review');
    expect(keymap.press(press('g', 'KeyG'), 'page', 5000)).toBe('wait');
    expect(keymap.press(press('x', 'KeyX'), 'page', 6500)).toBe('error.next');
  });

  it('starts a sequence on the page only', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(press('g', 'KeyG'), 'typing', 0)).toBeNull();
    // By itself, not the end of `g w`.
    expect(keymap.press(press('w', 'KeyW'), 'page', 100)).toBe('label.judge');
  });

  it('obeys the keys of the person, which beat a default on the same key', () => {
    const own = { 'label.mask': 't' };
    const keymap = new Keymap(own, false);
    expect(keymap.press(press('t', 'KeyT'), 'page', 0)).toBe('label.mask');
    expect(keymap.press(press('m', 'KeyM'), 'page', 0)).toBeNull();
    expect(keysOf('label.mask', own)).toEqual(['t']);
    expect(keysOf('label.mask', { 'label.mask': '' })).toEqual(['m']);
  });

  it('reads the keys of settings that named places', () => {
    const own = { 'label.mask': 'Shift+KeyT', 'app.search': 'Shift+Slash', 'mode.watch': 'KeyG Digit2' };
    expect(Object.keys(own).map((id) => keysOf(id as keyof typeof own, own))).toEqual([
      ['Shift+t'],
      ['?'],
      ['g 2'],
    ]);
  });

  it('writes no label by a key that prints another sign in the script that is written', () => {
    const keymap = new Keymap({}, false);
    // A Russian keyboard: the key with . and / on it writes a full stop, which alone repeats a label.
    expect(keymap.press(press('о', 'KeyJ'), 'page', 0)).toBe('step.next');
    expect(keymap.press(press('.', 'Slash'), 'page', 10)).toBe('app.search');
    expect(keymap.press(press('ю', 'Period'), 'page', 20)).toBe('label.repeat');
    // Hebrew writes / on the key of q.
    expect(keymap.press(press('/', 'KeyQ'), 'page', 30)).toBe('queue.next');
    // Back to Latin letters.
    expect(keymap.press(press('j', 'KeyJ'), 'page', 40)).toBe('step.next');
    expect(keymap.press(press('.', 'Slash'), 'page', 50)).toBe('label.repeat');
  });

  it('knows two keys after another in any script', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(press('п', 'KeyG'), 'page', 0)).toBe('wait');
    expect(keymap.press(press('к', 'KeyR'), 'page', 100)).toBe('mode.review');
  });
});
