import { partsOf, type StepRange } from '@shared/contract/step-range';
import { stepsIn } from '@shared/labels/review/step-ranges';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Text } from '../../text/en';

export type LabelChoice = 'train' | 'mask' | 'clear';

const MOST_PIECES = 3;

/** The pieces as a person reads them: `7`, `402–409`, `2, 5–7, 9 and 31 more`. */
export function sayParts(
  text: Pick<Text, 'labels' | 'common'>,
  parts: readonly StepRange[],
  most = MOST_PIECES,
): string {
  const shown = parts.slice(0, most).map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`));
  const said = text.common.list(shown);
  return parts.length > most ? text.labels.andMore(said, parts.length - most) : said;
}

/** Names a decision as it is made. */
export function sayDecision(
  text: Text,
  value: LabelChoice,
  parts: readonly StepRange[],
  settles = false,
): string {
  const n = stepsIn(parts);
  const at = sayParts(text, parts);
  if (value === 'clear') return text.labels.cleared(n, at);
  const words = text.labels;
  return settles ? words.settled(words[value], n, at) : words.did(words[value], n, at);
}

/** Names an annotation entry: what undo took back. */
export function sayEntry(text: Text, { target, body }: AnnotationEntry): string {
  const words = text.labels;
  const parts = partsOf(target);
  const n = stepsIn(parts);
  const at = sayParts(text, parts);
  switch (body.op) {
    case 'label':
      return body.value === 'clear' ? words.whatClear(n, at) : words.whatLabel(words[body.value], n, at);
    case 'adjudicate':
      return words.whatSettled(words[body.value], n, at);
    case 'comment':
      return words.whatComment(at);
    case 'flag':
      return body.on ? words.whatFlag(at) : words.whatUnflag(at);
    case 'hint':
      return words.whatHint(body.verdict, at);
    case 'judge':
    case 'reward':
      return words.whatVote(at);
    case 'correct':
      return body.correction === null ? words.whatUncorrect(at) : words.whatCorrect(at);
    case 'assign':
      return words.whatAssign(body.to.name, at);
    case 'undo':
      return words.opUndo;
  }
}
