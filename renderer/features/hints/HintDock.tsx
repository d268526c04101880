import type { RunSummary } from '@shared/views';
import { useState } from 'react';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useMedia } from '../../components/useMedia';
import { useNow } from '../../components/useNow';
import { useCommand } from '../../state/commands';
import { queueOf, useHints } from '../../state/hints';
import { useSplit } from '../../state/splits';
import type { Mode } from '../../state/view';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { CommandKeys } from '../frame/CommandKeys';
import { HintComposer } from './HintComposer';
import { HintQueue } from './HintQueue';
import { waitWords } from './wait-words';

/** Hints to the agent: the composer and its queue. In Review one line, opened by `i`. */
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
  const [focusTurn, setFocusTurn] = useState(0);
  const slim = (mode === 'review' || low) && !open;
  const rail = (railChoice ?? (roomy && mode === 'watch')) ? 216 : 48;

  useCommand('hint.compose', () => {
    setOpen(true);
    setFocusTurn((turn) => turn + 1);
  });

  if (slim) return <HintLine onOpen={() => setOpen(true)} onFocus={() => setFocusTurn((turn) => turn + 1)} />;
  return (
    <section
      className="dock"
      aria-label={text.hints.region}
      data-pane="hints"
      style={{ '--w-compose': `${rail + timeline}px` } as React.CSSProperties}
    >
      <HintComposer run={run} focusTurn={focusTurn} onLeave={() => setOpen(false)} />
      <HintQueue run={run} />
    </section>
  );
}

/** The dock in one line: where to write, and what waits. */
function HintLine({ onOpen, onFocus }: { onOpen: () => void; onFocus: () => void }) {
  const text = useText();
  const now = useNow(5000);
  const hints = useHints((state) => state.hints);
  const queue = queueOf(hints);
  return (
    <section className="dock-line" aria-label={text.hints.region} data-pane="hints">
      <LabelGlyph state="hint" />
      <button
        type="button"
        className="dock-open"
        onClick={() => {
          onOpen();
          onFocus();
        }}
      >
        {text.hints.write}
        <CommandKeys command="hint.compose" />
      </button>
      {queue.length > 0 && (
        <span className="row text-12 quiet">
          <Icon name="clock" small />
          {`${text.hints.waitsCount(queue.length)}. ${waitWords(hints, text, now)}`}
        </span>
      )}
    </section>
  );
}
