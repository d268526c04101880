import type { TokenView } from '@shared/contract/export-views';
import { memo } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useText } from '../../text/language';
import { type FoldLine, piecesOf, shownText } from './token-lines';
import { toggleFold } from './token-state';
import { lossOf, reasonOf, stateOf } from './token-words';

/** Drawn where a line feed is part of what trains or is masked. */
const FEED = '↵';

export interface TextLineViewProps {
  view: TokenView;
  from: number;
  to: number;
  /** The token under the cursor when it is on this line, else -1: other lines need not be drawn again. */
  cursor: number;
  /** Put in front of a token's number, so that two texts side by side name theirs apart. */
  side?: 'a' | 'b';
}

/** One line of the rendered text; each token carries its mask by colour and by shape. */
export const TextLineView = memo(function TextLineView({ view, from, to, cursor, side }: TextLineViewProps) {
  return (
    <div className="token-line" dir="ltr">
      {piecesOf(view, { from, to }).map((piece) => {
        const loss = lossOf(piece.loss);
        const shown = shownText(view.text.slice(piece.from, piece.to));
        const marks = `token token-${loss} ${piece.token % 2 === 1 ? 'token-odd' : ''}`;
        const feed = piece.feed && (loss === 'trained' || loss === 'masked' || piece.token === cursor);
        return (
          <span
            key={piece.from}
            className={piece.token === cursor ? `${marks} token-cursor` : marks}
            data-token={side === undefined ? piece.token : undefined}
          >
            {shown}
            {feed && <i aria-hidden="true">{FEED}</i>}
          </span>
        );
      })}
    </div>
  );
});

export interface MessageHeadProps {
  view: TokenView;
  index: number;
  onOpenStep: (run: string, step: number) => void;
  onShowLost?: () => void;
}

/** Where a message begins: its role, its step, what becomes of it and why. */
export function MessageHead({ view, index, onOpenStep, onShowLost }: MessageHeadProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const message = view.messages[index];
  if (message === undefined) return <div className="token-message" />;
  const decided = message.loss === 'trained' || message.loss === 'masked';
  const why = reasonOf(words, message);
  return (
    <div className="token-message" data-message={index} data-loss={message.loss}>
      <b className="medium">{text.roles[message.role]}</b>
      {message.step > 0 && (
        <button
          type="button"
          className="link tabular"
          tabIndex={-1}
          onClick={() => onOpenStep(view.row.run, message.step)}
        >
          {words.labels.scopeStep(message.step)}
        </button>
      )}
      {(decided || message.loss === 'carried') && (
        <span className={`token-message-state tone-${stateOf[message.loss]}`}>
          <LabelGlyph state={stateOf[message.loss]} />
          <b className="strong">{words.labels[stateOf[message.loss]]}</b>
        </span>
      )}
      {why !== null && <span className="quiet cut">{why}</span>}
      {message.lost.length > 0 && (
        <Button
          look="ghost"
          small
          icon="warning"
          className="tone-attention"
          tabIndex={-1}
          onClick={onShowLost}
        >
          {text.lostCount(message.lost.length)}
        </Button>
      )}
      <span className="space" />
      <span className="quiet tabular">
        {decided
          ? text.trainedOf(count(message.trainedTokens), count(message.tokens))
          : text.tokens(count(message.tokens), message.tokens)}
      </span>
    </div>
  );
}

/** Context that is folded away: how much, and a button that opens it. */
export function FoldView({ line }: { line: FoldLine }) {
  const words = useText();
  const text = words.tokens;
  const n = words.common.format.count(line.tokens);
  return (
    <div className="token-fold">
      <button
        type="button"
        tabIndex={-1}
        aria-expanded={line.open}
        data-fold={line.id}
        onClick={() => toggleFold(line.id)}
      >
        <Icon name={line.open ? 'down' : 'right'} small />
        {line.open
          ? text.foldAgain(n, line.tokens)
          : line.id === 'carried'
            ? text.foldedCarried(n, line.messages)
            : text.folded(n, line.tokens)}
      </button>
    </div>
  );
}
