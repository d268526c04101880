import { useEffect } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { runCommand } from '../../state/keys/commands';
import { useRows } from '../../state/rows/rows';
import { useTimeline } from '../../state/run/timeline';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { acceptRetroMask, askedAbout, followRetroMasks, useRetroMasks } from './retro-masks';
import './labels.css';

/** Steps of which the shared words are said; the others are counted. */
const SHOWN = 3;

/** What a delivered hint contradicts, with the words they share; to accept, trim or dismiss. */
export function RetroMaskBanner() {
  const text = useText();
  const words = text.retro;
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const anchor = useTimeline((state) => state.anchor);
  const { masks, trimming } = useRetroMasks();
  const writable = useWritable();
  useEffect(() => (run === null ? undefined : followRetroMasks(run)), [run]);
  const rows = useRows();
  const mask = askedAbout({ masks, trimming }, cursor);
  if (mask === undefined) return null;
  const trims = trimming === mask.hint && anchor !== null;
  const from = trims ? Math.min(anchor, cursor) : mask.from;
  const to = trims ? Math.max(anchor, cursor) : mask.to;
  const at = from === to ? String(from) : `${from}–${to}`;
  const shown = mask.evidence.slice(0, SHOWN);
  return (
    <section className="retro" aria-label={words.region}>
      <Icon name="hint" className="tone-hint" />
      <div className="retro-what">
        <div className="text-12 strong" aria-live="polite">
          {words.asks(mask.number, at)}
          {masks.length > 1 && (
            <span className="quiet"> {words.of(masks.indexOf(mask) + 1, masks.length)}</span>
          )}
        </div>
        <div className="text-11 quiet cut" title={mask.text}>
          {trims
            ? words.trimming
            : [
                `“${mask.text}”`,
                ...shown.map((one) => words.shares(one.step, one.words.join(', '))),
                ...(mask.evidence.length > SHOWN ? [words.andMore(mask.evidence.length - SHOWN)] : []),
              ].join(' · ')}
        </div>
      </div>
      {!trims && (
        <Button
          disabled={!writable}
          title={words.showText}
          keys={<CommandKeys command="retro.trim" />}
          onClick={() => runCommand('retro.trim')}
        >
          {words.show}
        </Button>
      )}
      {rows.showsAll({ from, to }) && (
        <Button
          disabled={!writable}
          onClick={acceptRetroMask}
          {...(trims ? { keys: <CommandKeys command="label.mask" /> } : {})}
        >
          {words.accept(at)}
        </Button>
      )}
      <Button
        look="ghost"
        disabled={!writable}
        keys={<CommandKeys command="retro.dismiss" />}
        onClick={() => runCommand('retro.dismiss')}
      >
        {words.dismiss}
      </Button>
    </section>
  );
}
