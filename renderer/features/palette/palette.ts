import type { RunSummary } from '@shared/contract/views';
import { create } from 'zustand';
import { canRun, runCommand } from '../../state/keys/commands';
import type { CommandGroup, CommandId } from '../../state/keys/keymap';
import { commandTable } from '../../state/keys/keymap';
import { openRun } from '../../state/run/runs';
import { moveCursor } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import type { Text } from '../../text/en';

export const usePalette = create<{ open: boolean }>()(() => ({ open: false }));

export function openPalette(): void {
  usePalette.setState({ open: true });
}
export function closePalette(): void {
  usePalette.setState({ open: false });
}

export type PaletteGroup = CommandGroup | 'steps' | 'runs';

export interface PaletteEntry {
  id: string;
  group: PaletteGroup;
  say: string;
  /** Its keys are shown; a step or a run has none. */
  command: CommandId | null;
  run: () => void;
}

/** Runs in one list; more than a person reads. */
const MOST_RUNS = 200;

/** Everything the palette offers now: the commands something on the screen answers to, and the runs by number and name. */
export function paletteEntries(text: Text, runs: readonly RunSummary[]): PaletteEntry[] {
  const commands = commandTable
    .filter(({ id }) => canRun(id) && id !== 'app.palette' && id !== 'app.escape')
    .map(({ id, group }): PaletteEntry => {
      const number = /^reason\.(\d)$/u.exec(id)?.[1];
      const name = text.shortcuts.command(id);
      return {
        id,
        group,
        command: id,
        say: number === undefined ? name : `${name}, ${text.labels.reasonAt(Number(number))}`,
        run: () => runCommand(id),
      };
    });
  const opened = runs.slice(0, MOST_RUNS).map(
    (run, index): PaletteEntry => ({
      id: `run-${run.id}`,
      group: 'runs',
      command: null,
      say: text.palette.openRun(index + 1, run.title),
      run: () => attempt(() => openRun(run.id)),
    }),
  );
  return [...commands, ...opened];
}

/** The step a query names, when it is a number. */
export function stepEntry(text: Text, query: string, steps: number): PaletteEntry | null {
  const step = /^#?\s*(\d{1,9})$/u.exec(query.trim())?.[1];
  if (step === undefined || Number(step) < 1 || Number(step) > steps) return null;
  return {
    id: `step-${step}`,
    group: 'steps',
    command: null,
    say: text.palette.goToStep(text.common.format.count(Number(step))),
    run: () => moveCursor(Number(step)),
  };
}

/**
 * How well a text fits a query whose letters must all come in order; null when they do not. Higher is better: whole words and their
 * beginnings before letters from the middle.
 */
export function fitness(query: string, text: string): number | null {
  const wanted = query.trim().toLowerCase();
  const given = text.toLowerCase();
  if (wanted === '') return 0;
  const whole = given.indexOf(wanted);
  if (whole >= 0) return 1000 - whole + (isStart(given, whole) ? 500 : 0);
  let score = 0;
  let at = 0;
  for (const letter of wanted.replaceAll(/\s+/gu, '')) {
    const found = given.indexOf(letter, at);
    if (found < 0) return null;
    if (isStart(given, found)) score += 8;
    if (found === at) score += 4;
    score -= found - at;
    at = found + 1;
  }
  return score;
}

function isStart(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
}

/** The entries that fit, the best first; without a query all, in their order. */
export function fitting(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  return entries
    .flatMap((entry) => {
      const score = fitness(query, entry.say);
      return score === null ? [] : [{ entry, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Groups in the order of their best entry, so that the list stays in groups while its top is the best. */
export function grouped(
  entries: readonly PaletteEntry[],
): { group: PaletteGroup; entries: PaletteEntry[] }[] {
  const groups = new Map<PaletteGroup, PaletteEntry[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups].map(([group, list]) => ({ group, entries: list }));
}
