import type { RunSummary } from '@shared/contract/views';
import { hasEnded } from '@shared/runs/run-status';
import { useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useMedia } from '../../components/useMedia';
import { useNow } from '../../components/useNow';
import { useCommand } from '../../state/keys/commands';
import type { Mode } from '../../state/view';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { useSplit } from '../panes/splits';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { HintComposer } from './HintComposer';
import { HintQueue } from './HintQueue';
import { openDraft, useHintDraft } from './hint-draft';
import { queueOf, useHints } from './hints';
import { RehearsalDialog } from './RehearsalDialog';
import { useTrial } from './rehearsal';
import { hintWaitWords } from './wait-words';

/** Hints to the agent: the composer and the outbox. In Review one line, opened by `i`. */
export function HintDock({ run, mode }: { run: RunSummary; mode: Mode }) {
  const text = useText();
  const roomy = useMedia('(min-width: 1360px)');
  const low = useMedia('(max-height: 640px)');
  const railChoice = useView((state) => state.railWide);
  const [timeline] = useSplit(
    run.task.id,
    mode === 'watch' ? 'watch.timeline' : 'review.timeline',
    roomy ? 496 : 456,
  );
  const [open, setOpen] = useState(false);
  const [tall, setTall] = useState(false);
  const [focusTurn, setFocusTurn] = useState(0);
  const [outboxTurn, setOutboxTurn] = useState(0);
  const dock = useRef<HTMLElement>(null);
  const trying = useTrial((state) => state.trial?.run === run.id);
  const ended = hasEnded(run.state);
  // A run that ends while it is watched leaves the dock as it is: somebody may be writing in it.
  const [wasOver] = useState(ended);
  const slim = (mode === 'review' || low || (ended && wasOver)) && !open;
  const rail = (railChoice ?? (roomy && mode === 'watch')) ? 216 : 48;

  useLayoutEffect(() => openDraft(run.id), [run.id]);
  useCommand('hint.compose', () => {
    setOpen(true);
    setFocusTurn((turn) => turn + 1);
  });
  useCommand('hint.outbox', () => {
    setOpen(true);
    setOutboxTurn((turn) => turn + 1);
  });
  useLayoutEffect(() => {
    if (outboxTurn === 0) return;
    const first = (within: string) => dock.current?.querySelector<HTMLElement>(`${within} button`);
    (first('.queue-list') ?? first('.queue'))?.focus();
  }, [outboxTurn]);
  useCommand('app.escape', () => {
    if (dock.current?.contains(document.activeElement) !== true) return false;
    document.querySelector<HTMLElement>('[role="grid"]')?.focus();
    setOpen(false);
    setTall(false);
  });

  return (
    <>
      {slim ? (
        <HintLine
          ended={ended}
          onOpen={() => setOpen(true)}
          onFocus={() => setFocusTurn((turn) => turn + 1)}
          onOutbox={() => setOutboxTurn((turn) => turn + 1)}
        />
      ) : (
        <section
          ref={dock}
          className={`dock ${tall ? 'dock-tall' : ''}`}
          aria-label={text.hints.region}
          data-pane="hints"
          style={{ '--w-compose': `${rail + timeline}px` } as React.CSSProperties}
        >
          <HintComposer run={run} focusTurn={focusTurn} />
          <HintQueue run={run} onTall={setTall} />
        </section>
      )}
      {trying && <RehearsalDialog run={run} />}
    </>
  );
}

/** The dock in one line: where to write, what waits, what was never delivered. */
function HintLine({
  ended,
  onOpen,
  onFocus,
  onOutbox,
}: Record<'onOpen' | 'onFocus' | 'onOutbox', () => void> & { ended: boolean }) {
  const text = useText();
  const now = useNow(5000);
  const hints = useHints((state) => state.hints);
  const drafted = useHintDraft((state) => state.draft.text.trim());
  const queue = queueOf(hints);
  const first = queue[0];
  const sent = (hints?.hints ?? []).filter((hint) => hint.state === 'delivered').length;
  const lost = (hints?.hints ?? []).filter((hint) => hint.state === 'undelivered').length;
  return (
    <section className="dock-line" aria-label={text.hints.region} data-pane="hints">
      <LabelGlyph state="hint" />
      <button
        type="button"
        className="dock-open"
        onClick={() => {
          onOpen();
          if (ended) onOutbox();
          else onFocus();
        }}
      >
        <span className="cut">
          {ended ? text.hints.endedLine(sent) : drafted === '' ? text.hints.write : drafted}
        </span>
        <CommandKeys command={ended ? 'hint.outbox' : 'hint.compose'} />
      </button>
      {first !== undefined && (
        <span className="row text-12 quiet">
          <Icon name="clock" small />
          {`${text.hints.waitsCount(queue.length)}. ${hintWaitWords(first, hints, text, now)}`}
        </span>
      )}
      {lost > 0 && <span className="chip chip-danger">{text.hints.undeliveredCount(lost)}</span>}
    </section>
  );
}
