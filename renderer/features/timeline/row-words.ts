import type { StepHead, StepNote } from '@shared/contract/views';
import type { LabelValue } from '@shared/log/annotations';
import type { LabelState } from '../../components/LabelGlyph';
import type { Text } from '../../text/en';
import type { PendingLabel } from '../labels/labels';

export type SummaryNote = Extract<StepNote, { kind: 'summary' }>;

/** One line under a step: a hint of several delivered together has its own. */
export type NoteLine =
  | { kind: 'hint'; key: string; number: number; text: string; step: number }
  | { kind: 'note'; key: string; note: Exclude<StepNote, { kind: 'hint' | 'summary' }> }
  /** Two rows high: where one context life ends and the next begins. */
  | { kind: 'summary'; key: string; note: SummaryNote; opens: number }
  /** What the summary no longer mentions, closed or open. */
  | { kind: 'missing'; key: string; step: number; count: number; open: boolean }
  | { kind: 'lost'; key: string; what: SummaryNote['missing'][number] }
  /** So many more than the timeline lists; the step lists all. */
  | { kind: 'more'; key: string; count: number };

/** Lost things that the timeline lists when it is opened. */
const LISTED = 12;

/** What is shown under a step. */
export interface NotesShown {
  /** The list of what the step's summary no longer mentions is open. */
  open: boolean;
  /** The summary has a row of its own, at the head of the segment it opened. */
  summaryApart: boolean;
}
const plainNotes: NotesShown = { open: false, summaryApart: false };

export function noteLines(head: StepHead, { open, summaryApart }: NotesShown = plainNotes): NoteLine[] {
  return head.after.flatMap((note, index): NoteLine[] => {
    if (summaryApart && note.kind === 'summary') return [];
    if (note.kind === 'hint') {
      return note.hints.map((hint) => ({ ...hint, kind: 'hint', key: hint.id, step: head.step }));
    }
    const key = `${note.kind}-${index}`;
    if (note.kind !== 'summary') return [{ kind: 'note', key, note }];
    return [{ kind: 'summary', key, note, opens: head.segment + 1 }, ...missingLines(note, key, open)];
  });
}

function missingLines({ step, missing }: SummaryNote, key: string, open: boolean): NoteLine[] {
  const count = missing.length;
  if (count === 0) return [];
  const head: NoteLine = { kind: 'missing', key: `${key}-missing`, step, count, open };
  if (!open) return [head];
  const lost = missing
    .slice(0, LISTED)
    .map((what, at): NoteLine => ({ kind: 'lost', key: `${key}-lost-${at}`, what }));
  const more: NoteLine[] =
    count > LISTED ? [{ kind: 'more', key: `${key}-more`, count: count - LISTED }] : [];
  return [head, ...lost, ...more];
}

/** How many rows the lines under a step take; what the list's layout needs. */
export function noteCount(head: StepHead, { open, summaryApart }: NotesShown = plainNotes): number {
  let count = 0;
  for (const note of head.after) {
    if (note.kind === 'hint') count += note.hints.length;
    else if (note.kind !== 'summary') count += 1;
    else if (!summaryApart) count += 2 + missingLines(note, '', open).length;
  }
  return count;
}

/** The lines of the summary turn itself: where its segment begins and what it no longer mentions. */
export function summaryLines(head: StepHead, open: boolean): NoteLine[] {
  return noteLines(head, { open, summaryApart: false }).filter(
    ({ kind }) => kind !== 'hint' && kind !== 'note',
  );
}

/** The label state a row shows: what a person has just decided, else what holds. */
export function shownState(head: StepHead, pending: PendingLabel['value'] | null): LabelState {
  if (pending === 'train' || pending === 'mask') return pending;
  if (pending === 'clear') return 'undecided';
  if (head.withheld) return 'none';
  return head.label.value ?? 'undecided';
}

/** The two halves of the gutter when opinions differ: left the rule or one person, right the judge or another. */
export function halvesOf({ label, marks, judge }: StepHead): { left: LabelValue; right: LabelValue } | null {
  if (!label.disagreement) return null;
  if (marks.includes('humans_differ')) return { left: 'train', right: 'mask' };
  if (marks.includes('rule_and_judge_differ') && judge !== null) {
    return judge.value === 'keep' ? { left: 'mask', right: 'train' } : { left: 'train', right: 'mask' };
  }
  return { left: 'mask', right: 'train' };
}

/** A judge's vote in the narrow column: "J.82", "J" without a confidence, "J≠" when judges do not agree. */
export function judgeCode({ judge }: StepHead): string {
  if (judge === null) return '';
  if (judge.differ) return 'J≠';
  if (judge.confidence === null) return 'J';
  return `J${confidenceShort(judge.confidence)}`;
}

/** How sure a judge is, in the least room: ".82", "1". */
export function confidenceShort(confidence: number): string {
  return confidence >= 0.995 ? '1' : `.${String(Math.round(confidence * 100)).padStart(2, '0')}`;
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

/** The action with its title; of a summary turn what it stands for. */
function whatOf(head: StepHead, text: Text): string {
  const words = text.timeline;
  const note = head.after.find((one) => one.kind === 'summary');
  if (note?.kind !== 'summary') return `${head.tool === '' ? words.noCall : head.tool} ${head.title}`.trim();
  const { steps, tokensBefore, tokensAfter } = note;
  const { format } = text.common;
  return [
    words.summarised(steps?.from ?? null, steps?.to ?? null),
    words.tokensFromTo(format.compact(tokensBefore), format.compact(tokensAfter)),
  ].join(', ');
}

/** What a screen reader says for a row: "404, edit_file core_algos.py, masked by blind-edit, not decided by a person". */
export function rowSentence(head: StepHead, pending: PendingLabel['value'] | null, text: Text): string {
  const words = text.timeline;
  const state = shownState(head, pending);
  const { source } = head.label;
  const label =
    state === 'none'
      ? words.rowWithheld
      : state === 'mask' && pending === null && source === 'rule'
        ? words.rowMaskedBy(head.rules.map(text.labels.ruleName).join(', '))
        : state === 'mask'
          ? words.rowMask
          : state === 'train'
            ? words.rowTrain
            : words.rowUndecided;
  const facts = [
    String(head.step),
    whatOf(head, text),
    label,
    ...judgeWords(head, text),
    head.by.length > 0 ? words.rowByPerson(head.by.join(', ')) : words.rowNoPerson,
  ];
  if (pending !== null) facts.push(words.rowPending);
  if (head.inheritedFrom !== null) facts.push(words.rowInherited);
  if (head.label.disagreement) facts.push(words.rowDiffers);
  if (!head.ok) facts.push(words.rowFailed);
  if (head.exitCode !== null && head.exitCode !== 0) facts.push(words.exit(head.exitCode));
  if (head.imitatesHuman) facts.push(words.rowImitates);
  if (head.marks.includes('corrected')) facts.push(words.rowCorrected);
  if (head.flagged) facts.push(words.rowFlagged);
  if (head.comments > 0) facts.push(words.rowComments(head.comments));
  if (!head.done) facts.push(words.running);
  return words.row(facts);
}

function judgeWords({ judge }: StepHead, text: Text): string[] {
  if (judge === null) return [];
  const { rowJudge, rowJudgesDiffer } = text.timeline;
  return [judge.differ ? rowJudgesDiffer : rowJudge(judge.value, judge.confidence)];
}
