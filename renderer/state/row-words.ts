import type { StepHead, StepNote } from '@shared/views';
import type { LabelState } from '../components/LabelGlyph';
import type { Text } from '../text/en';
import type { PendingLabel } from './labels';

/** One line under a step: a hint of several delivered together has its own. */
export type NoteLine =
  | { kind: 'hint'; key: string; number: number; text: string; step: number }
  | { kind: 'note'; key: string; note: Exclude<StepNote, { kind: 'hint' }> };

export function noteLines(head: StepHead): NoteLine[] {
  return head.after.flatMap((note, index): NoteLine[] =>
    note.kind === 'hint'
      ? note.hints.map((hint) => ({ ...hint, kind: 'hint', key: hint.id, step: head.step }))
      : [{ kind: 'note', key: `${note.kind}-${index}`, note }],
  );
}

/** How many lines stand under a step; what the list's layout needs. */
export function noteCount(head: StepHead): number {
  let count = 0;
  for (const note of head.after) count += note.kind === 'hint' ? note.hints.length : 1;
  return count;
}

/** The label state a row shows: what a person has just decided, else what holds. */
export function shownState(head: StepHead, pending: PendingLabel['value'] | null): LabelState {
  if (pending === 'train' || pending === 'mask') return pending;
  if (pending === 'clear') return 'undecided';
  return head.label.value ?? 'undecided';
}

/** The paper's guideline number of a rule, as the narrow column prints it: "R5". */
export function ruleCode(rule: string): string {
  if (rule.startsWith('blind-edit')) return 'R5';
  if (rule === 'error-observation' || rule === 'null' || rule === 'command-failed') return 'R3';
  return 'R';
}

/** The code of a step's first rule, with a plus when others of another number speak too. */
export function ruleCodes(rules: readonly string[]): string {
  const codes = [...new Set(rules.map(ruleCode))];
  return codes.length > 1 ? `${codes[0]}+` : (codes[0] ?? '');
}

/** Up to two letters of a name; names in scripts without capitals keep their first two characters. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = words[0] ?? '?';
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0] ?? '') : [...first].slice(0, 2);
  return letters.join('').toUpperCase();
}

/** What a screen reader says for a row: "404, edit_file core_algos.py, masked by blind-edit, not decided by a person". */
export function rowSentence(head: StepHead, pending: PendingLabel['value'] | null, text: Text): string {
  const words = text.timeline;
  const state = shownState(head, pending);
  const { source } = head.label;
  const label =
    state === 'mask' && pending === null && source === 'rule'
      ? words.rowMaskedBy(head.rules.map(text.labels.ruleName).join(', '))
      : state === 'mask'
        ? words.rowMask
        : state === 'train'
          ? words.rowTrain
          : words.rowUndecided;
  const facts = [
    String(head.step),
    `${head.tool === '' ? words.noCall : head.tool} ${head.title}`.trim(),
    label,
    head.by.length > 0 ? words.rowByPerson(head.by.join(', ')) : words.rowNoPerson,
  ];
  if (pending !== null) facts.push(words.rowPending);
  if (head.label.disagreement) facts.push(words.rowDiffers);
  if (!head.ok) facts.push(words.rowFailed);
  if (head.exitCode !== null && head.exitCode !== 0) facts.push(words.exit(head.exitCode));
  if (head.imitatesHuman) facts.push(words.rowImitates);
  if (head.flagged) facts.push(words.rowFlagged);
  if (head.comments > 0) facts.push(words.rowComments(head.comments));
  if (!head.done) facts.push(words.running);
  return words.row(facts);
}
