import type { LinkHealth } from '@shared/contract/computers';
import { idleHealth } from '@shared/contract/idle-health';
import { expect, it } from 'vitest';
import { press } from '../../state/keys/chord-fixtures';
import { en } from '../../text/en';
import { activityOf, stateWord } from './activity';
import { sizeFor } from './fit';
import { lastLines, linesBefore } from './session-preview';
import type { Shown } from './sessions-shown';
import { hostOf, isAway } from './shown-host';
import { terminalKey } from './terminal-keys';

const health = (state: LinkHealth['state']): LinkHealth => ({ ...idleHealth('box'), state });
const agent = {
  kind: 'agent',
  session: {
    run: 'r',
    computer: 'gpu-03',
    session: 'train',
    uid: 'u',
    rows: 24,
    cols: 80,
    endOffset: 0,
    lastByteAt: null,
    state: 'busy',
    exitCode: null,
    command: null,
    gaps: [],
  },
} satisfies Shown;

it('keeps a program its keys and takes those that no program gets', () => {
  const typedInto = { typedInto: true, mac: false };
  expect(terminalKey(press('f', 'KeyF', { ctrlKey: true }), typedInto)).toBeNull();
  expect(terminalKey(press('c', 'KeyC', { ctrlKey: true }), typedInto)).toBeNull();
  expect(terminalKey(press('F', 'KeyF', { ctrlKey: true, shiftKey: true }), typedInto)).toBe('find');
  expect(terminalKey(press('C', 'KeyC', { ctrlKey: true, shiftKey: true }), typedInto)).toBe('copy');
  expect(terminalKey(press('V', 'KeyV', { ctrlKey: true, shiftKey: true }), typedInto)).toBe('paste');
  expect(terminalKey(press('`', 'Backquote', { ctrlKey: true }), typedInto)).toBe('leave');
  expect(terminalKey(press('`', 'Backquote'), typedInto)).toBeNull();
  expect(terminalKey(press('Dead', 'Backquote', { ctrlKey: true }), typedInto)).toBe('leave');
  expect(terminalKey(press('C', 'KeyI', { ctrlKey: true, shiftKey: true }), typedInto)).toBe('copy');
  expect(terminalKey(press('С', 'KeyC', { ctrlKey: true, shiftKey: true }), typedInto)).toBe('copy');
  expect(terminalKey(press('f', 'KeyF', { ctrlKey: true }), { typedInto: false, mac: false })).toBe('find');
  expect(terminalKey(press('f', 'KeyF', { metaKey: true }), { typedInto: true, mac: true })).toBe('find');
  expect(terminalKey(press('f', 'KeyF', { ctrlKey: true }), { typedInto: true, mac: true })).toBeNull();
  expect(
    terminalKey(press('f', 'KeyF', { ctrlKey: true, altKey: true }), { typedInto: false, mac: false }),
  ).toBeNull();
});

it('fits whole rows and columns, within what a terminal may have', () => {
  const cell = { width: 7.2, height: 16 };
  expect(sizeFor({ width: 730, height: 330 }, cell, 10)).toEqual({ cols: 100, rows: 20 });
  expect(sizeFor({ width: 10, height: 10 }, cell, 10)).toEqual({ cols: 20, rows: 2 });
  expect(sizeFor({ width: 0, height: 300 }, cell, 10)).toBeNull();
  expect(sizeFor({ width: 100, height: 300 }, { width: Number.NaN, height: 16 }, 10)).toBeNull();
});

it('says in words what a terminal does and when it last printed', () => {
  expect(stateWord(agent, en)).toBe('busy');
  expect(stateWord({ ...agent, session: { ...agent.session, exitCode: 3 } }, en)).toBe('exit 3');
  const now = 1_000_000_000;
  expect(activityOf(null, en, now)).toEqual({ lively: false, words: null });
  expect(activityOf(now - 500, en, now)).toEqual({ lively: true, words: 'output now' });
  expect(activityOf(now + 500, en, now)).toEqual({ lively: true, words: 'output now' });
  expect(activityOf(now - 12_400, en, now)).toEqual({ lively: false, words: 'output 12 s ago' });
  expect(activityOf(now - 41 * 60_000, en, now)).toEqual({ lively: false, words: 'output 41 min ago' });
});

it('finds the host behind a session by the run’s computers', () => {
  const run = {
    computers: [
      { name: 'gpu-03', kind: 'ssh' as const, host: 'box' },
      { name: 'here', kind: 'local' as const },
    ],
  };
  const known = { box: health('stalled') };
  expect(hostOf(agent, run, known)).toMatchObject({
    name: 'gpu-03',
    alias: 'box',
    health: { state: 'stalled' },
  });
  const here = { ...agent, session: { ...agent.session, computer: 'here' } };
  expect(hostOf(here, run, known)).toMatchObject({ alias: null, health: undefined });
  expect(['good', 'degraded', 'idle'].some((state) => isAway(health(state as LinkHealth['state'])))).toBe(
    false,
  );
  expect(
    ['connecting', 'stalled', 'down', 'blocked'].every((state) =>
      isAway(health(state as LinkHealth['state'])),
    ),
  ).toBe(true);
});

it('previews the last lines as they read', () => {
  const bytes = new TextEncoder().encode('one\r\n\x1b[31mtwo\x1b[0m\r\n 1%\r 100%\r\n\r\n$ ');
  expect(lastLines(bytes, 3)).toEqual(['two', ' 100%', '$']);
  expect(lastLines(new TextEncoder().encode('a\u202ecod.exe\n'), 3)).toEqual(['a⟨U+202E⟩cod.exe']);
});

it('a preview shows the last lines before its end, over short pages and what shows nothing', async () => {
  const log = new TextEncoder().encode(`first\nsecond\n${'\x1b[2K'.repeat(2000)}after the end\n`);
  const end = log.length - 'after the end\n'.length;
  const read = async (offset: number, maxBytes: number) => {
    const bytes = log.slice(offset, offset + Math.min(maxBytes, 1000));
    return { offset, endOffset: offset + bytes.length, bytes };
  };
  expect(await linesBefore(read, end, 'card')).toEqual(['first', 'second']);
  expect((await linesBefore(read, log.length, 'card')).join()).toMatch(/after the end$/);
  expect(await linesBefore(read, 6, 'wall')).toEqual(['first']);
  expect(await linesBefore(read, 0, 'wall')).toEqual([]);
});
