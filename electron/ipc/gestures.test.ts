import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { Gestures } from './gestures';

let now = 0;
let contents: EventEmitter;
let gestures: Gestures;
beforeEach(() => {
  now = 1_000_000;
  contents = new EventEmitter();
  gestures = new Gestures(() => now);
  gestures.watch(contents as never);
});

const input = (type: string, modifiers: string[] = []) =>
  contents.emit('input-event', {}, { type, modifiers });
async function done(name: string): Promise<boolean> {
  const answer = await gestures.guard(name, async () => ({ ok: true, value: undefined }));
  if (!answer.ok) expect(answer.error.code).toBe('refused');
  return answer.ok;
}

describe('without a gesture', () => {
  it('a page looks and labels, and does nothing that reaches further', async () => {
    for (const name of ['runs.list', 'labels.apply', 'runs.pause']) expect(await done(name)).toBe(true);
    for (const name of [
      ...['runs.start', 'runs.decideApproval', 'hints.queue', 'settings.set', 'settings.setKey'],
      ...['computers.answer', 'own.open', 'own.enter', 'branches.create', 'model.test'],
    ])
      expect(await done(name)).toBe(false);
  });

  it('moving the mouse, scrolling and a key that repeats are none', async () => {
    input('mouseMove');
    input('mouseWheel');
    input('keyDown', ['isautorepeat']);
    expect(await done('settings.set')).toBe(false);
  });

  it('what is no command is left to what refuses it', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', '', undefined]) {
      const answer = await gestures.guard(name, async () => ({ ok: true, value: 'asked' }));
      expect(answer).toEqual({ ok: true, value: 'asked' });
    }
  });
});

it('a key allows for a second', async () => {
  input('keyDown');
  now += 1_000;
  expect(await done('settings.set')).toBe(true);
  now += 1_001;
  expect(await done('settings.set')).toBe(false);
});

it('the keyboard is moved by a click, by Enter or by a chord, and not while somebody types', async () => {
  const key = (name: string, modifiers: string[] = []) =>
    contents.emit('input-event', {}, { type: 'keyDown', key: name, modifiers });
  for (const typed of ['a', ' ', '~', '语']) {
    key(typed);
    expect(await done('own.enter')).toBe(false);
    expect(await done('settings.set')).toBe(true);
  }
  for (const press of [() => key('Enter'), () => key('`', ['control']), () => input('mouseDown')]) {
    press();
    expect(await done('own.enter')).toBe(true);
    key('a');
    expect(await done('own.enter')).toBe(false);
  }
});

it('another page has consents of its own', async () => {
  gestures = new Gestures(() => now, { typed: 'present', closed: 'gesture' });
  gestures.watch(contents as never);
  input('keyDown');
  now += 60_000;
  expect(await done('typed')).toBe(true);
  expect(await done('closed')).toBe(false);
  now += 1;
  expect(await done('typed')).toBe(false);
});

it('an approval takes a press of its own: thirty approvals are thirty presses', async () => {
  for (let count = 0; count < 30; count += 1) {
    input('rawKeyDown');
    expect(await done('runs.decideApproval')).toBe(true);
    expect(await done('runs.decideApproval')).toBe(false);
    input('keyUp');
    expect(await done('runs.decideApproval')).toBe(false);
  }
  expect(await done('settings.set')).toBe(true);
});

it('a button held long acts when it is let go', async () => {
  input('mouseDown');
  now += 3_000;
  input('mouseUp');
  expect(await done('runs.start')).toBe(true);
});

it('what follows from an allowed command is allowed, but not for ever', async () => {
  input('mouseDown');
  const slow = await gestures.guard('settings.setKey', async () => {
    now += 4_000;
    return { ok: true, value: undefined };
  });
  expect(slow.ok).toBe(true);
  now += 500;
  expect(await done('settings.set')).toBe(true);
  for (let count = 0; count < 20; count += 1) {
    now += 900;
    await done('settings.set');
  }
  expect(await done('settings.set')).toBe(false);
});
