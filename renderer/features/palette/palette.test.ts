import type { RunSummary } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { handle } from '../../state/keys/commands';
import { commandTable } from '../../state/keys/keymap';
import { en } from '../../text/en';
import { zh } from '../../text/zh';
import { fitness, fitting, grouped, paletteEntries, stepEntry } from './palette';

const runs = [
  { id: 'a', title: 'Entropy-stable GRPO' },
  { id: 'b', title: 'Data cleaning' },
] as RunSummary[];

describe('the palette', () => {
  it('offers what something on the screen answers to, and runs by number', () => {
    const stop = handle('label.similar', () => undefined);
    const entries = paletteEntries(en, runs);
    expect(entries.map(({ say }) => say)).toEqual([
      'Label all similar steps',
      'Run 1: Entropy-stable GRPO',
      'Run 2: Data cleaning',
    ]);
    stop();
    expect(paletteEntries(en, runs)).toHaveLength(2);
  });

  it('names every command, in both languages', () => {
    const stops = commandTable.map(({ id }) => handle(id, () => undefined));
    for (const text of [en, zh]) {
      const says = paletteEntries(text, []).map(({ say }) => say);
      expect(says).toHaveLength(commandTable.length - 2);
      expect(says.filter((say) => say.trim() === '' || say.includes('undefined'))).toEqual([]);
      expect(new Set(says).size).toBe(says.length);
    }
    for (const stop of stops) stop();
  });

  it('goes to a step by its number, when there is one', () => {
    expect(stepEntry(en, '404', 500)?.say).toBe('Go to step 404');
    expect(stepEntry(en, '#7', 500)?.id).toBe('step-7');
    for (const query of ['0', '501', '4x', '', 'step']) expect(stepEntry(en, query, 500)).toBeNull();
  });

  it('finds letters in their order, whole words first', () => {
    expect(fitness('xyz', 'Label')).toBeNull();
    expect(fitness('las', 'Label all similar steps')).not.toBeNull();
    const entries = paletteEntries(en, runs);
    expect(fitting(entries, 'clean').map(({ id }) => id)).toEqual(['run-b']);
    const order = ['Relabel', 'Label all similar', 'Leave a belt'].sort(
      (a, b) => (fitness('label', b) ?? -1000) - (fitness('label', a) ?? -1000),
    );
    expect(order).toEqual(['Label all similar', 'Relabel', 'Leave a belt']);
  });

  it('keeps groups together, the one with the best entry first', () => {
    const entries = paletteEntries(en, runs);
    expect(grouped(entries).map(({ group, entries: list }) => [group, list.length])).toEqual([['runs', 2]]);
  });
});
