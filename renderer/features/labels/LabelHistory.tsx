import { standingIds } from '@shared/labels/annotation-undo';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { sayEntry } from './label-words';

/** Every annotation entry that touches the step, newest first; what was taken back stays and says so. */
export function LabelHistory({ entries }: { entries: readonly AnnotationEntry[] }) {
  const text = useText();
  if (entries.length === 0) return <p className="layer-note">{text.labels.historyNone}</p>;
  const standing = standingIds(entries);
  const byId = new Map(entries.map((entry) => [entry.ulid, entry]));
  return (
    <ol className="label-history" aria-label={text.labels.historyOf(entries.length)}>
      {[...entries].reverse().map((entry) => {
        const gone = !standing.has(entry.ulid);
        return (
          <li key={entry.ulid}>
            <span className="quiet tabular text-11">{text.common.format.when(entry.at, Date.now())}</span>
            <span>
              <b className="medium">{entry.author.name}</b>{' '}
              <span className={gone ? 'history-gone' : ''}>{operation(entry, byId, text)}</span>
              {gone && <span className="chip history-chip">{text.labels.takenBack}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function operation(entry: AnnotationEntry, byId: ReadonlyMap<string, AnnotationEntry>, text: Text): string {
  const words = text.labels;
  const { body } = entry;
  switch (body.op) {
    case 'label':
      return body.value === 'clear' ? words.opClear : withReason(words[body.value], body.reason, text);
    case 'adjudicate':
      return words.opSettled(withReason(words[body.value], body.reason, text));
    case 'comment':
      return words.opComment(body.text);
    case 'flag':
      return body.on ? words.opFlag : words.opUnflag;
    case 'hint':
      return words.opHint(body.verdict);
    case 'judge':
      return body.value === 'withdrawn'
        ? words.opVoteBack
        : words.opVote(body.value === 'mask' ? words.mask : words.keep, words.reasonName(body.reason));
    case 'reward':
      return words.opReward(body.value, body.vote);
    case 'correct':
      return body.correction === null ? words.opUncorrect : words.opCorrect(body.correction.call.name);
    case 'assign':
      return body.on ? words.opAssign(body.to.name) : words.opUnassign(body.to.name);
    case 'undo': {
      const target = byId.get(body.entry);
      return target === undefined ? words.opUndo : words.opUndoOf(sayEntry(text, target));
    }
  }
}

function withReason(what: string, reason: string | null, text: Text): string {
  return reason === null || reason === '' ? what : text.common.list([what, text.labels.reasonName(reason)]);
}
