import type { TokenView } from '@shared/contract/export-views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { FoldView, MessageHead, TextLineView } from './TokenLines';
import { TokenRuler } from './TokenRuler';
import { lineOf, type TokenLine, tokenAt, tokenBeside, tokenLayout, tokenRange } from './token-lines';
import { moveTo, toggleFold, useTokens } from './token-state';
import { useColumns } from './use-columns';

/** Heights of lines, px; must agree with `tokens.css`. */
export const lineHeight: Readonly<Record<TokenLine['kind'], number>> = { text: 20, message: 28, fold: 24 };
/** Room left and right of the text, px. */
const PADDING = 32;
const PAGE = 20;
/** Kept in view above and below the cursor, px: its message's head, at a jump to where it begins. */
const MARGIN = 72;

export interface TokenTextProps {
  view: TokenView;
  onJump: (loss: 't' | 'm', direction: 1 | -1) => void;
  onOpenStep: (run: string, step: number) => void;
}

/** The rendered text of a row. One token has the cursor; arrows move it, what it is stands in the panel beside. */
export function TokenText({ view, onJump, onOpenStep }: TokenTextProps) {
  const words = useText();
  const box = useRef<HTMLElement>(null);
  const columns = useColumns(box, PADDING);
  const open = useTokens((state) => state.open);
  const cursor = useTokens((state) => Math.min(state.cursor, view.starts.length - 1));
  const reveal = useTokens((state) => state.reveal);
  const layout = useMemo(
    () => (columns === 0 ? { lines: [], folds: [] } : tokenLayout(view, { columns, open })),
    [view, columns, open],
  );
  const lines = useVirtualizer({
    count: layout.lines.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => lineHeight[layout.lines[index]?.kind ?? 'text'],
    overscan: 12,
    scrollPaddingStart: MARGIN,
    scrollPaddingEnd: MARGIN,
  });
  // Sizes are remembered by place, and a fold moves lines of other kinds into it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew whenever the lines are others
  useEffect(() => lines.measure(), [layout]);

  const at = lineOf(layout, shownStart(view, cursor));
  // biome-ignore lint/correctness/useExhaustiveDependencies: brought into view when it was moved, not when lines fold around it
  useEffect(() => {
    if (layout.lines.length > 0) lines.scrollToIndex(at, { align: reveal > 1 ? 'auto' : 'start' });
  }, [reveal, layout.lines.length > 0]);

  function move(by: number): void {
    moveTo(Math.max(0, Math.min(view.starts.length - 1, cursor + by)));
  }
  function beside(by: number): void {
    moveTo(tokenBeside(view, layout, shownStart(view, cursor), by));
  }
  function foldAtCursor(): boolean | undefined {
    const start = shownStart(view, cursor);
    const message = view.messages.findIndex(({ from, to }) => from <= start && start < to);
    const fold = layout.lines.find(
      (line) => line.kind === 'fold' && (line.message === message || (line.from <= start && start < line.to)),
    );
    if (fold?.kind !== 'fold') return false;
    toggleFold(fold.id);
    return undefined;
  }
  useCommand('look.expand', foldAtCursor);
  useCommand('look.expandAll', () =>
    useTokens.setState({ open: open.size > 0 ? new Set() : new Set(layout.folds) }),
  );

  const keys: Readonly<Record<string, () => void>> = {
    ArrowRight: () => move(1),
    ArrowLeft: () => move(-1),
    ArrowDown: () => beside(1),
    ArrowUp: () => beside(-1),
    j: () => beside(1),
    k: () => beside(-1),
    PageDown: () => beside(PAGE),
    PageUp: () => beside(-PAGE),
    Home: () => moveTo(0),
    End: () => moveTo(view.starts.length - 1),
    p: () => onJump('m', -1),
    P: () => onJump('t', -1),
    Enter: () => {
      const start = shownStart(view, cursor);
      const message = view.messages.find(({ from, to }) => from <= start && start < to);
      if (message !== undefined && message.step > 0) onOpenStep(view.row.run, message.step);
    },
  };

  return (
    <div className="token-frame">
      <section
        ref={box}
        className="token-text"
        aria-label={words.tokens.text}
        aria-describedby="token-facts"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
        tabIndex={0}
        data-pane-focus
        data-cursor={cursor}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (event.target !== event.currentTarget && event.key === 'Enter') return;
          const key = keys[event.key];
          if (key === undefined) return;
          key();
          event.preventDefault();
          event.stopPropagation();
        }}
        onClick={(event) => {
          const token = event.target instanceof Element ? event.target.closest('[data-token]') : null;
          const chosen = Number(token?.getAttribute('data-token') ?? Number.NaN);
          if (Number.isInteger(chosen)) useTokens.setState({ cursor: chosen, side: 'token' });
        }}
      >
        <div className="token-space" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map(({ index, start }) => {
            const line = layout.lines[index];
            if (line === undefined) return null;
            return (
              <div
                key={index}
                className={`token-row token-row-${line.kind}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line view={view} line={line} cursor={index === at ? cursor : -1} onOpenStep={onOpenStep} />
              </div>
            );
          })}
        </div>
      </section>
      <TokenRuler
        view={view}
        layout={layout}
        heights={lineHeight}
        onGo={(line) => {
          const target = layout.lines[line];
          if (target !== undefined) moveTo(Math.max(0, tokenAt(view.starts, target.from)));
        }}
      />
    </div>
  );
}

interface LineProps {
  view: TokenView;
  line: TokenLine;
  cursor: number;
  onOpenStep: (run: string, step: number) => void;
}

function Line({ view, line, cursor, onOpenStep }: LineProps) {
  if (line.kind === 'fold') return <FoldView line={line} />;
  if (line.kind === 'message') {
    return (
      <MessageHead
        view={view}
        index={line.message}
        onOpenStep={onOpenStep}
        onShowLost={() => useTokens.setState({ side: 'lost' })}
      />
    );
  }
  const message = view.messages[line.message];
  return (
    <>
      <span className={`token-gutter token-gutter-${message?.loss ?? 'context'}`} />
      <TextLineView view={view} from={line.from} to={line.to} cursor={drawnToken(view, cursor)} />
    </>
  );
}

/** Of the tokens that one character was cut into, the one that is drawn. */
function drawnToken(view: TokenView, token: number): number {
  let drawn = token;
  while (drawn >= 0 && drawn + 1 < view.starts.length && view.starts[drawn + 1] === view.starts[drawn])
    drawn += 1;
  return drawn;
}

/** First character of a token. */
function shownStart(view: TokenView, token: number): number {
  return tokenRange(view, token)[0];
}
