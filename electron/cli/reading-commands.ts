import type { Arguments } from './arguments';

/** Commands that record nothing and drive nothing, by their first words; `-`: without a second one. */
const READING = new Map<string, readonly string[]>(
  Object.entries({
    task: ['list', 'show'],
    run: ['list', 'show'],
    session: ['list', 'tail'],
    step: ['show'],
    hint: ['list'],
    checkpoint: ['list'],
    label: ['export'],
    queue: ['-', 'next', 'people'],
    judge: ['agreement', 'estimate', 'list', 'prompt', 'show'],
    stats: [],
    experiment: [],
    export: [],
    verify: [],
  }),
);

/** Where the second word may be the name of a run, the verbs that write. */
const WRITING_RULES: readonly string[] = ['set', 'clear'];

/** What `judge rubric` does without recording or asking anything. */
const READING_RUBRICS: readonly string[] = ['show', 'diff'];

/** Whether a command only reads; any that is not listed is taken to write. */
export function isReading({ words: [family = '', verb = '-', third = ''] }: Arguments): boolean {
  if (family === 'judge' && verb === 'rubric') return READING_RUBRICS.includes(third);
  if (family === 'rules') return !WRITING_RULES.includes(verb);
  const verbs = READING.get(family);
  return verbs !== undefined && (verbs.length === 0 || verbs.includes(verb));
}
