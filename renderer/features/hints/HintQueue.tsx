import type { HintView } from '@shared/outbox';
import type { RunSummary } from '@shared/views';
import { useState } from 'react';
import { call } from '../../api';
import { Button, IconButton } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { TextArea } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { Menu } from '../../components/Menu';
import { useNow } from '../../components/useNow';
import { editHint, queueOf, shiftHint, useHints, withdrawHint } from '../../state/hints';
import { moveCursor } from '../../state/timeline';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { waitWords } from './wait-words';

/** The queued hints in sending order, why they wait, and what came of the earlier ones. */
export function HintQueue({ run }: { run: RunSummary }) {
  const text = useText();
  const words = text.hints;
  const hints = useHints((state) => state.hints);
  const [showing, setShowing] = useState(false);
  const [earlier, setEarlier] = useState(false);
  const [editing, setEditing] = useState<HintView | null>(null);
  const queue = queueOf(hints);
  const past = (hints?.hints ?? []).filter((hint) => hint.state !== 'queued').reverse();
  const last = past.find((hint) => hint.state === 'delivered');
  const nothing = queue.length === 0 && past.length === 0;
  const listPast = earlier || queue.length === 0;
  return (
    <div className="queue">
      <div className="queue-head">
        <h2 className="text-12 strong">{words.queueTitle}</h2>
        {queue.length > 0 && <span className="text-12 quiet cut">{words.queueText(queue.length)}</span>}
        <span className="space" />
        {last !== undefined && last.step !== null && queue.length > 0 && (
          <span className="text-12 quiet cut">
            {last.step === 0 ? words.lastBefore(last.number) : words.last(last.number, last.step)}
          </span>
        )}
        {queue.length > 0 && past.length > 0 && (
          <Button look="ghost" small aria-pressed={earlier} onClick={() => setEarlier(!earlier)}>
            {earlier ? words.hideDelivered : words.showDelivered(past.length)}
          </Button>
        )}
        {queue.length > 0 && (
          <Button look="ghost" small icon="eye" onClick={() => setShowing(true)}>
            {words.textToSend}
          </Button>
        )}
      </div>
      {nothing ? (
        <Empty icon="comment" title={words.noneTitle} text={words.noneText} />
      ) : (
        <ol className="queue-list">
          {queue.map((hint) => (
            <QueuedHint key={hint.id} run={run} hint={hint} queue={queue} onEdit={() => setEditing(hint)} />
          ))}
          {listPast && past.map((hint) => <PastHint key={hint.id} hint={hint} />)}
        </ol>
      )}
      {showing && (
        <Dialog
          title={words.textToSendTitle}
          closeLabel={text.common.close}
          onClose={() => setShowing(false)}
        >
          <p className="quiet text-12 dialog-lead">{words.textToSendNote}</p>
          <pre className="code code-wrap">{hints?.textToSend ?? ''}</pre>
        </Dialog>
      )}
      {editing !== null && <EditHint run={run} hint={editing} onClose={() => setEditing(null)} />}
    </div>
  );
}

interface QueuedHintProps {
  run: RunSummary;
  hint: HintView;
  queue: readonly HintView[];
  onEdit: () => void;
}

function QueuedHint({ run, hint, queue, onEdit }: QueuedHintProps) {
  const text = useText();
  const words = text.hints;
  const now = useNow(5000);
  const hints = useHints((state) => state.hints);
  const waits = hints?.waitsFor?.reason;
  const at = queue.indexOf(hint);
  return (
    <li className="queue-row" data-testid="queued-hint">
      <span className="row queue-mark">
        <LabelGlyph state="hint" label={words.stateName(hint.state)} />
        <span className="mono-11 quiet">{hint.number}</span>
      </span>
      <div className="queue-text">
        <div className="cut" title={hint.text}>
          {hint.text}
        </div>
        <div className="text-12 quiet row queue-why">
          <Icon name={waits === 'sleep' ? 'moon' : 'clock'} small />
          <span className="cut">{waitWords(hints, text, now)}</span>
        </div>
      </div>
      <span className="row queue-actions">
        {waits === 'sleep' && at === 0 && (
          <Button small onClick={() => attempt(() => call('runs.wake', { run: run.id }))}>
            {words.wakeNow}
          </Button>
        )}
        {(waits === 'paused' || waits === 'undriven') && at === 0 && (
          <Button small onClick={() => attempt(() => call('runs.resume', { run: run.id }))}>
            {words.resume}
          </Button>
        )}
        <Menu
          label={words.actions(hint.number)}
          items={[
            { id: 'edit', label: words.edit, run: onEdit },
            {
              id: 'up',
              label: words.moveUp,
              disabled: at === 0,
              run: () => attempt(() => shiftHint(run.id, queue, hint, -1)),
            },
            {
              id: 'down',
              label: words.moveDown,
              disabled: at === queue.length - 1,
              run: () => attempt(() => shiftHint(run.id, queue, hint, 1)),
            },
            {
              id: 'withdraw',
              label: words.withdraw,
              text: words.withdrawText,
              danger: true,
              line: true,
              run: () => attempt(() => withdrawHint(run.id, hint)),
            },
          ]}
          button={(props) => <IconButton icon="more" small label={words.actions(hint.number)} {...props} />}
        />
      </span>
    </li>
  );
}

function PastHint({ hint }: { hint: HintView }) {
  const text = useText();
  const words = text.hints;
  const { step } = hint;
  const outcome =
    hint.state === 'delivered' && step !== null
      ? step === 0
        ? words.deliveredTask
        : words.delivered(step)
      : hint.state === 'undelivered'
        ? words.undelivered
        : words.stateName(hint.state);
  return (
    <li className="queue-row queue-past" data-testid="past-hint">
      <span className="row queue-mark">
        <LabelGlyph state="hint" label={words.stateName(hint.state)} />
        <span className="mono-11 quiet">{hint.number}</span>
      </span>
      <div className="queue-text">
        <div className="cut" title={hint.text}>
          {hint.text}
        </div>
        <div className={`text-12 row queue-why ${hint.state === 'undelivered' ? 'tone-danger' : 'quiet'}`}>
          <span className="cut">
            {hint.deliveredAt === null
              ? outcome
              : `${outcome}, ${text.common.format.clock(hint.deliveredAt)}`}
          </span>
        </div>
      </div>
      {step !== null && step > 0 && (
        <Button look="ghost" small onClick={() => moveCursor(step)}>
          {words.showStep}
        </Button>
      )}
    </li>
  );
}

function EditHint({ run, hint, onClose }: { run: RunSummary; hint: HintView; onClose: () => void }) {
  const text = useText();
  const words = text.hints;
  const [typed, setTyped] = useState(hint.text);
  function save(): void {
    if (typed.trim() === '') return;
    onClose();
    attempt(() => editHint(run.id, hint, typed.trim()));
  }
  return (
    <Dialog
      title={words.editTitle(hint.number)}
      closeLabel={text.common.cancel}
      onClose={onClose}
      foot={
        <>
          <span className="space" />
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button look="primary" disabled={typed.trim() === ''} onClick={save}>
            {words.saveEdit}
          </Button>
        </>
      }
    >
      <TextArea
        data-autofocus
        rows={6}
        aria-label={words.editTitle(hint.number)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
        }}
      />
    </Dialog>
  );
}
