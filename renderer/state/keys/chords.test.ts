import { describe, expect, it } from 'vitest';
import { press } from './chord-fixtures';
import { type ChordContext, capsOf, chordsOf } from './chords';

const linux: ChordContext = { mac: false };
const mac: ChordContext = { mac: true };
const first = (down: ReturnType<typeof press>, context = linux) => chordsOf(down, context)[0];

describe('a chord is what the key prints', () => {
  it.each([
    ['QWERTZ', 'z', 'KeyY', 'z'],
    ['QWERTZ', 'y', 'KeyZ', 'y'],
    ['AZERTY', 'm', 'Semicolon', 'm'],
    ['AZERTY', 'a', 'KeyQ', 'a'],
    ['Dvorak', 't', 'KeyK', 't'],
    ['Dvorak', '.', 'KeyE', '.'],
    ['Russian', 'е', 'KeyT', 't'],
    ['Russian', 'ь', 'KeyM', 'm'],
    ['Russian', 'ё', 'Backquote', '`'],
    ['Greek', 'μ', 'KeyM', 'm'],
    ['Thai, a vowel', 'ั', 'KeyY', 'y'],
    ['Turkish', 'i', 'Quote', 'i'],
  ])('%s: %s on %s is %s', (_layout, key, code, chord) => {
    expect(first(press(key, code))).toBe(chord);
  });

  it('with its modifiers in one order, Mod being the command key of the system', () => {
    expect(first(press('Z', 'KeyZ', { ctrlKey: true, shiftKey: true }))).toBe('Mod+Shift+z');
    expect(first(press('z', 'KeyZ', { metaKey: true }), mac)).toBe('Mod+z');
    expect(first(press('z', 'KeyZ', { ctrlKey: true }), mac)).toBe('Ctrl+z');
    expect(first(press('я', 'KeyZ', { ctrlKey: true }))).toBe('Mod+z');
    expect(first(press('Enter', 'NumpadEnter', { ctrlKey: true, shiftKey: true }))).toBe('Mod+Shift+Enter');
    expect(first(press('F6', 'F6', { shiftKey: true }))).toBe('Shift+F6');
  });

  it('whatever Shift was needed for, except with letters', () => {
    expect(first(press('$', 'Digit4', { shiftKey: true }))).toBe('$');
    expect(first(press('$', 'BracketRight'))).toBe('$');
    expect(first(press('/', 'Digit7', { shiftKey: true }))).toBe('/');
    expect(first(press('*', 'BracketRight', { shiftKey: true }))).toBe('*');
    expect(first(press('T', 'KeyT', { shiftKey: true }))).toBe('Shift+t');
  });

  it('whether CapsLock is on or not', () => {
    expect(first(press('T', 'KeyT'))).toBe('t');
    expect(first(press('t', 'KeyT', { shiftKey: true }))).toBe('Shift+t');
    expect(first(press('İ', 'Quote'))).toBe('i');
  });

  it('also where AltGr or Option writes it, and a letter behind AltGr is no other letter', () => {
    const windows = { ctrlKey: true, altKey: true, altGraph: true };
    expect(chordsOf(press('[', 'Digit8', windows), linux)).toEqual(['[']);
    expect(chordsOf(press('µ', 'KeyM', { altGraph: true }), linux)).toEqual([]);
    expect(chordsOf(press('µ', 'KeyM'), linux)).toEqual(['µ']);
    expect(chordsOf(press('@', 'KeyQ', windows), linux)).toEqual(['@']);
    expect(first(press('[', 'Digit5', { altKey: true }), mac)).toBe('[');
    expect(chordsOf(press('†', 'KeyT', { altKey: true }), mac)).toEqual(['Alt+t']);
    expect(chordsOf(press('t', 'KeyT', { altKey: true }), linux)).toEqual(['Alt+t']);
  });

  it('a digit on the row of digits without Shift, the sign it writes before it', () => {
    expect(chordsOf(press('&', 'Digit1'), linux)).toEqual(['&', '1']);
    expect(chordsOf(press('É', 'Digit2'), linux)).toEqual(['é', '2']);
    expect(chordsOf(press('1', 'Digit1', { shiftKey: true }), linux)).toEqual(['1']);
    expect(chordsOf(press('!', 'Digit1', { shiftKey: true }), linux)).toEqual(['!']);
  });

  it('the key left of 1 is the grave accent, also where it is dead', () => {
    const layout = new Map([['Backquote', '^']]);
    expect(chordsOf(press('Dead', 'Backquote'), { mac: false, layout })).toEqual(['^', '`']);
    expect(chordsOf(press('Dead', 'Backquote', { ctrlKey: true }), linux)).toEqual(['Mod+`']);
    expect(chordsOf(press('²', 'Backquote'), linux)).toEqual(['²', '`']);
    expect(chordsOf(press('Dead', 'Equal', { shiftKey: true }), linux)).toEqual([]);
  });

  it('by the Latin layout beside another script, when the system knows it', () => {
    const azerty = new Map([['KeyQ', 'a']]);
    expect(first(press('й', 'KeyQ'), { mac: false, layout: azerty })).toBe('a');
    expect(first(press('й', 'KeyQ'), { mac: false, layout: new Map([['KeyQ', 'й']]) })).toBe('q');
  });

  it('nothing for a modifier, and for what an input method composes', () => {
    for (const key of ['Shift', 'AltGraph', 'CapsLock', 'Process', 'Unidentified', ''])
      expect(chordsOf(press(key, 'KeyT'), linux), key).toEqual([]);
    expect(chordsOf(press('t', 'KeyT', { isComposing: true }), linux)).toEqual([]);
  });
});

it('caps are printed as the keyboard prints them', () => {
  expect(capsOf('Shift+j', 'Ctrl', null)).toEqual(['J']);
  expect(capsOf('g w', 'Ctrl', null)).toEqual(['g', 'w']);
  expect(capsOf('Mod+Enter', 'Ctrl', null)).toEqual(['Ctrl ↵']);
  expect(capsOf('Mod+Shift+z', 'Ctrl', null)).toEqual(['Ctrl Shift Z']);
  expect(capsOf('$', 'Ctrl', null)).toEqual(['$']);
  expect(capsOf('Shift+F6', 'Ctrl', null)).toEqual(['Shift F6']);
  expect(capsOf('`', 'Ctrl', null)).toEqual(['`']);
  expect(capsOf('Mod+`', 'Ctrl', new Map([['Backquote', '^']]))).toEqual(['Ctrl ^']);
  expect(capsOf('`', 'Ctrl', new Map([['Backquote', '²']]))).toEqual(['²']);
});
