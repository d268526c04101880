import { describe, expect, it } from 'vitest';
import { en } from '../text/en';
import { capsOf, chordOf, commandTable, Keymap, keysOf } from './keymap';

function key(
  code: string,
  modifiers: { ctrl?: boolean; meta?: boolean; alt?: boolean; shift?: boolean } = {},
) {
  return {
    code,
    ctrlKey: modifiers.ctrl ?? false,
    metaKey: modifiers.meta ?? false,
    altKey: modifiers.alt ?? false,
    shiftKey: modifiers.shift ?? false,
  };
}

describe('chords', () => {
  it('name the key by its place and its modifiers in one order', () => {
    expect(chordOf(key('KeyZ', { ctrl: true, shift: true }), false)).toBe('Mod+Shift+KeyZ');
    expect(chordOf(key('KeyZ', { meta: true }), true)).toBe('Mod+KeyZ');
    expect(chordOf(key('KeyZ', { ctrl: true }), true)).toBe('Ctrl+KeyZ');
    expect(chordOf(key('ShiftLeft', { shift: true }), false)).toBeNull();
    expect(chordOf(key(''), false)).toBeNull();
  });

  it('are printed as a keyboard prints them', () => {
    expect(capsOf('Shift+KeyJ', 'Ctrl')).toEqual(['J']);
    expect(capsOf('KeyG KeyW', 'Ctrl')).toEqual(['g', 'w']);
    expect(capsOf('Mod+Enter', 'Ctrl')).toEqual(['Ctrl ↵']);
    expect(capsOf('Shift+Digit4', 'Ctrl')).toEqual(['$']);
    expect(capsOf('Shift+F6', 'Ctrl')).toEqual(['Shift F6']);
  });

  it('belong to one command each', () => {
    const all = commandTable.flatMap((command) => command.keys);
    expect(all.filter((chord, index) => all.indexOf(chord) !== index)).toEqual([]);
  });

  it('have a name for every command', () => {
    for (const { id } of commandTable) expect(en.shortcuts.command(id), id).toBeTruthy();
  });
});

describe('Keymap', () => {
  it('turns a bare key into its command on the page', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(key('KeyT'), 'page', 0)).toBe('label.train');
    expect(keymap.press(key('KeyJ', { shift: true }), 'page', 0)).toBe('step.nextOpen');
  });

  it('lets bare keys rest while typing, in a terminal and in a dialog', () => {
    const keymap = new Keymap({}, false);
    for (const { id, keys } of commandTable) {
      for (const chord of keys) {
        if (chord.includes('Mod+') || chord.includes('F6') || chord.includes('F1') || chord.includes(' '))
          continue;
        const shift = chord.startsWith('Shift+');
        const press = key(chord.replace('Shift+', ''), { shift });
        if (id !== 'app.escape') expect(keymap.press(press, 'typing', 0), chord).toBeNull();
        expect(keymap.press(press, 'terminal', 0), chord).toBeNull();
        expect(keymap.press(press, 'dialog', 0), chord).toBeNull();
      }
    }
  });

  it('keeps the undo of a text field, and queues and leaves from it', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(key('KeyZ', { ctrl: true }), 'typing', 0)).toBeNull();
    expect(keymap.press(key('KeyZ', { ctrl: true }), 'page', 0)).toBe('label.undo');
    expect(keymap.press(key('Enter', { ctrl: true }), 'typing', 0)).toBe('hint.queue');
    expect(keymap.press(key('Escape'), 'typing', 0)).toBe('app.escape');
  });

  it('knows two keys pressed one after the other, within a second', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(key('KeyG'), 'page', 0)).toBe('wait');
    expect(keymap.press(key('KeyR'), 'page', 400)).toBe('mode.review');
    expect(keymap.press(key('KeyG'), 'page', 5000)).toBe('wait');
    expect(keymap.press(key('KeyX'), 'page', 6500)).toBe('error.next');
  });

  it('starts a sequence on the page only', () => {
    const keymap = new Keymap({}, false);
    expect(keymap.press(key('KeyG'), 'typing', 0)).toBeNull();
    expect(keymap.press(key('KeyW'), 'page', 100)).toBeNull();
  });

  it('obeys the keys of the person, which beat a default on the same key', () => {
    const own = { 'label.mask': 'KeyT' };
    const keymap = new Keymap(own, false);
    expect(keymap.press(key('KeyT'), 'page', 0)).toBe('label.mask');
    expect(keymap.press(key('KeyM'), 'page', 0)).toBeNull();
    expect(keysOf('label.mask', own)).toEqual(['KeyT']);
    expect(keysOf('label.mask', { 'label.mask': '' })).toEqual(['KeyM']);
  });
});
