import { Icon } from '../../components/Icon';
import { toggleMissing } from '../../state/run/segments';
import { useText } from '../../text/language';
import type { NoteLine } from './row-words';

/** Where one context life ends and the next begins: what was summarised, tokens before and after, what was carried. */
export function SummaryRow({ line }: { line: Extract<NoteLine, { kind: 'summary' }> }) {
  const text = useText();
  const words = text.timeline;
  const { format } = text.common;
  const { steps, carried, pair, tokensBefore, tokensAfter } = line.note;
  const facts = [
    words.tokensFromTo(format.compact(tokensBefore), format.compact(tokensAfter)),
    carried === null ? words.nothingCarried : words.carriedOn(carried.from, carried.to),
  ].join(' · ');
  const title = words.summarised(steps?.from ?? null, steps?.to ?? null);
  return (
    <div role="gridcell" className="note note-summary" title={`${title}. ${facts}`}>
      <i className="gutter" />
      <span className="note-icon quiet">
        <Icon name="summary" />
      </span>
      <span className="note-two">
        <span className="note-first">
          <span className="cut">
            <b>{title}</b> {pair && <span className="quiet">{words.andSummary}</span>}
          </span>
          <span className="note-segment">{words.segmentBegins(line.opens)}</span>
        </span>
        <span className="cut quiet tabular">{facts}</span>
      </span>
    </div>
  );
}

/** What the summary no longer mentions: one line, and each thing when it is opened. */
export function LostRow({ line }: { line: Extract<NoteLine, { kind: 'missing' | 'lost' | 'more' }> }) {
  const text = useText();
  const words = text.timeline;
  if (line.kind === 'missing') {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: `o` opens it from the keyboard
      <div role="presentation" className="note note-missing" onClick={() => toggleMissing(line.step)}>
        <i className="gutter" />
        <span className="note-icon tone-attention">
          <Icon name="warning" />
        </span>
        <span className="note-text cut">{words.missingAfter(line.count)}</span>
        <span className="quiet">
          <Icon name={line.open ? 'up' : 'down'} small />
        </span>
      </div>
    );
  }
  return (
    <div role="gridcell" className="note note-missing">
      <i className="gutter" />
      <span />
      {line.kind === 'more' ? (
        <span className="note-text cut quiet">{words.moreLost(line.count)}</span>
      ) : (
        <span className="note-lost" title={line.what.text}>
          <span className="quiet">{words.lostKind(line.what.kind)}</span>
          <span className="cut mono-12">{line.what.text}</span>
        </span>
      )}
      <span />
    </div>
  );
}
