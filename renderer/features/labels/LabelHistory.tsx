import type { AnnotationEntry } from '@shared/annotations';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';

/** Every annotation entry that touches the step, newest first; undone ones stay, with their undoing. */
export function LabelHistory({ entries }: { entries: readonly AnnotationEntry[] }) {
  const text = useText();
  if (entries.length === 0) return <p className="layer-note">{text.labels.historyNone}</p>;
  return (
    <ol className="label-history">
      {[...entries].reverse().map((entry) => (
        <li key={entry.ulid}>
          <span className="quiet tabular text-11">{text.common.format.when(entry.at, Date.now())}</span>
          <span>
            <b className="medium">{entry.author.name}</b> {operation(entry, text)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function operation(entry: AnnotationEntry, text: Text): string {
  const words = text.labels;
  const { body } = entry;
  switch (body.op) {
    case 'label':
      return body.value === 'clear' ? words.opClear : withReason(words[body.value], body.reason, text);
    case 'adjudicate':
      return `${words.adjudication}: ${withReason(words[body.value], body.reason, text)}`;
    case 'comment':
      return `${words.opComment}: ${body.text}`;
    case 'flag':
      return body.on ? words.opFlag : words.opUnflag;
    case 'hint':
      return words.opHint(body.verdict);
    case 'judge':
    case 'correct':
    case 'assign':
      return body.op;
    case 'undo':
      return words.opUndo;
  }
}

function withReason(what: string, reason: string | null, text: Text): string {
  return reason === null || reason === '' ? what : `${what}, ${text.labels.reasonName(reason)}`;
}
