import type { Arguments } from './arguments';

/** Commands that record nothing and drive nothing, by their first words; `-`: without a second one. */
const READING = new Map<string, readonly string[]>(
  Object.entries({
    task: ['list'],
    run: ['list', 'show'],
    session: ['list', 'tail'],
    hint: ['list'],
    checkpoint: ['list'],
    label: ['export'],
    queue: ['-', 'next', 'people'],
    rules: ['list', 'show', 'preview'],
    stats: [],
    export: [],
    verify: [],
  }),
);

/** Whether a command only reads; any that is not listed is taken to write. */
export function isReading({ words: [family = '', verb = '-'] }: Arguments): boolean {
  const verbs = READING.get(family);
  return verbs !== undefined && (verbs.length === 0 || verbs.includes(verb));
}
