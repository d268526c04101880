import type { RunSummary } from '@shared/contract/views';
import type { HintView } from '@shared/log/outbox';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api';
import { Button, IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { Menu } from '../../components/Menu';
import { useNow } from '../../components/useNow';
import { useComputers } from '../../state/computers';
import { waitsFor } from '../../state/computers-of-run';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { HintEditor } from './HintEditor';
import { moveHint, useHints, waitsForItsCondition, withdrawHint } from './hints';
import { hintWaitWords } from './wait-words';

export interface QueuedHintProps {
  run: RunSummary;
  hint: HintView;
  queue: readonly HintView[];
  editing: boolean;
  onEdit: (on: boolean) => void;
  /** This hint is picked up, or put down with null. */
  onDrag: (hint: HintView | null) => void;
  /** Puts the hint that is picked up here; null while none is. */
  onDrop: (() => void) | null;
  /** Where it would come to stand: under this one, because it comes from above. */
  below: boolean;
}

/** A hint that waits: what, why, until when; moved by its mark, edited in place. */
export function QueuedHint({ run, hint, queue, editing, onEdit, onDrag, onDrop, below }: QueuedHintProps) {
  const text = useText();
  const words = text.hints;
  const now = useNow(1000);
  const hints = useHints((state) => state.hints);
  const health = useComputers((state) => state.health);
  const away = useMemo(() => waitsFor(run, health).map(({ name }) => name), [run, health]);
  const [over, setOver] = useState(false);
  const mark = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  // The editor takes the focus with it when it goes; the hint it was about has it then.
  useLayoutEffect(() => {
    if (edited.current && !editing) mark.current?.focus();
    edited.current = editing;
  }, [editing]);
  const own = waitsForItsCondition(hint);
  const waits = own ? 'condition' : hints?.waitsFor?.reason;
  const at = queue.indexOf(hint);
  const move = (by: number) => attempt(() => moveHint(run.id, queue, hint, at + by));
  if (editing) return <HintEditor run={run} hint={hint} onClose={() => onEdit(false)} />;
  return (
    <li
      className={`queue-row ${over && onDrop !== null ? (below ? 'queue-over-below' : 'queue-over') : ''}`}
      data-testid="queued-hint"
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        onDrag(hint);
      }}
      onDragEnd={() => onDrag(null)}
      onDragOver={(event) => {
        if (onDrop === null) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onDrop?.();
      }}
    >
      <button
        ref={mark}
        type="button"
        className="row queue-mark"
        aria-label={words.move(hint.number, at + 1, queue.length)}
        title={words.move(hint.number, at + 1, queue.length)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          move(event.key === 'ArrowUp' ? -1 : 1);
        }}
      >
        <LabelGlyph state="hint" label={words.stateName(hint.state)} />
        <span className="mono-11 quiet">{hint.number}</span>
      </button>
      <div className="queue-text">
        <div className="cut" title={hint.text}>
          {hint.text}
        </div>
        <div className="text-12 quiet row queue-why">
          <Icon name={waits === 'sleep' ? 'moon' : 'clock'} small />
          <span className="cut">{hintWaitWords(hint, hints, text, now, away)}</span>
        </div>
      </div>
      <span className="row queue-actions">
        {waits === 'sleep' && (
          <Button
            small
            title={text.runs.wakeText}
            onClick={() => attempt(() => call('runs.wake', { run: run.id }))}
          >
            {words.wakeNow}
          </Button>
        )}
        {(waits === 'paused' || waits === 'undriven') && at === 0 && (
          <Button small onClick={() => attempt(() => call('runs.resume', { run: run.id }))}>
            {words.resume}
          </Button>
        )}
        <Button look="ghost" small onClick={() => onEdit(true)}>
          {words.edit}
        </Button>
        <Menu
          label={words.actions(hint.number)}
          items={[
            { id: 'up', label: words.moveUp, disabled: at === 0, run: () => move(-1) },
            { id: 'down', label: words.moveDown, disabled: at === queue.length - 1, run: () => move(1) },
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
