import type { RunSummary } from '@shared/contract/views';
import type { HintView } from '@shared/log/outbox';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { useHintDraft } from './hint-draft';
import { moveHint, queueOf, useHints } from './hints';
import { PastHint } from './PastHint';
import { QueuedHint } from './QueuedHint';
import { TextToSend } from './TextToSend';

export interface HintQueueProps {
  run: RunSummary;
  /** Says that the list needs more room: a hint is edited, or the earlier ones are looked at. */
  onTall: (tall: boolean) => void;
}

/** The outbox: queued hints in sending order and why they wait, then what came of the earlier ones. */
export function HintQueue({ run, onTall }: HintQueueProps) {
  const text = useText();
  const words = text.hints;
  const hints = useHints((state) => state.hints);
  const drafted = useHintDraft((state) => state.draft.text.trim() !== '');
  const [showing, setShowing] = useState(false);
  const [earlier, setEarlier] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const [dragged, setDragged] = useState<HintView | null>(null);
  const queue = queueOf(hints);
  const past = pastOf(hints?.hints ?? []);
  const lost = past.filter((hint) => hint.state === 'undelivered').length;
  const nothing = queue.length === 0 && past.length === 0;
  // What was never delivered is never out of sight.
  const shownPast =
    earlier || queue.length === 0 ? past : past.filter((hint) => hint.state === 'undelivered');

  function edit(hint: string | null): void {
    setEditing(hint);
    onTall(hint !== null || earlier);
  }
  function showEarlier(): void {
    setEarlier(!earlier);
    onTall(!earlier || editing !== null);
  }
  // With an empty queue the earlier ones stand there anyway; then it is about room, and two have enough.
  const hiding = past.length > 0 && (queue.length > 0 || past.length > 2 || earlier);
  return (
    <div className="queue">
      <div className="queue-head">
        <h2 className="text-12 strong">{words.queueTitle}</h2>
        {queue.length > 0 && <span className="text-12 quiet cut">{words.queueText(queue.length)}</span>}
        {lost > 0 && <span className="chip chip-danger">{words.undeliveredCount(lost)}</span>}
        <span className="space" />
        {hiding && (
          <Button look="ghost" small aria-pressed={earlier} onClick={showEarlier}>
            {earlier ? words.hideDelivered : words.showDelivered(past.length)}
          </Button>
        )}
        {(queue.length > 0 || drafted) && (
          <Button look="ghost" small icon="eye" onClick={() => setShowing(true)}>
            {words.textToSend}
          </Button>
        )}
      </div>
      {nothing ? (
        <Empty icon="comment" title={words.noneTitle} text={words.noneText} />
      ) : (
        <ol className="queue-list">
          {queue.map((hint, at) => (
            <QueuedHint
              key={hint.id}
              run={run}
              hint={hint}
              queue={queue}
              editing={editing === hint.id}
              onEdit={(on) => edit(on ? hint.id : null)}
              onDrag={setDragged}
              below={dragged !== null && queue.findIndex(({ id }) => id === dragged.id) < at}
              onDrop={
                dragged === null || dragged.id === hint.id
                  ? null
                  : () => attempt(() => moveHint(run.id, queue, dragged, at))
              }
            />
          ))}
          {shownPast.map((hint) => (
            <PastHint key={hint.id} run={run} hint={hint} />
          ))}
        </ol>
      )}
      {showing && <TextToSend onClose={() => setShowing(false)} />}
    </div>
  );
}

/** Hints that left the queue: those that were never delivered first, then the newest. */
function pastOf(hints: readonly HintView[]): HintView[] {
  const past = hints.filter((hint) => hint.state !== 'queued').reverse();
  return [
    ...past.filter((hint) => hint.state === 'undelivered'),
    ...past.filter((hint) => hint.state !== 'undelivered'),
  ];
}
