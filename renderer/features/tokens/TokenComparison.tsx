import type { Failure } from '@shared/contract/errors';
import type { TokenView } from '@shared/contract/export-views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { MessageHead, TextLineView } from './TokenLines';
import { differenceLines, type PairLine } from './token-difference';
import type { TextLine } from './token-lines';
import { useTokens } from './token-state';
import { useColumns } from './use-columns';

const heights: Readonly<Record<PairLine['kind'], number>> = { pair: 28, both: 20, same: 28 };
const PADDING = 36;

export interface TokenComparisonProps {
  a: TokenView;
  /** Null until it is rendered, and when it could not be. */
  b: TokenView | null;
  failure: Failure | null;
  nameA: string;
  nameB: string;
  onOpenStep: (run: string, step: number) => void;
}

/** One row as two variants or two targets would train it, side by side; what is the same is one line. */
export function TokenComparison({ a, b, failure, nameA, nameB, onOpenStep }: TokenComparisonProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const box = useRef<HTMLElement>(null);
  const columns = useColumns(box, PADDING, 2);
  const [at, setAt] = useState(0);
  const { lines, differences } = useMemo(
    () =>
      b === null || columns === 0
        ? { lines: [] as PairLine[], differences: 0 }
        : differenceLines(a, b, columns),
    [a, b, columns],
  );
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => heights[lines[index]?.kind ?? 'both'],
    overscan: 12,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew whenever the lines are others
  useEffect(() => virtual.measure(), [lines]);
  const go = (to: number) => {
    if (differences === 0) return;
    const next = (to + differences) % differences;
    setAt(next);
    const line = lines.findIndex((each) => each.kind === 'pair' && each.difference === next);
    if (line >= 0) virtual.scrollToIndex(line, { align: 'start' });
  };
  useCommand('match.next', () => go(at + 1));
  useCommand('match.previous', () => go(at - 1));
  useCommand('app.escape', () => useTokens.setState({ comparison: null }));

  return (
    <div className="tokens-main">
      <div className="tokens-legend">
        <b className="medium text-12" role="status">
          {b === null ? text.rendering(a.row.index + 1) : text.differences(differences, b.messages.length)}
        </b>
        <span className="space" />
        {differences > 0 && (
          <>
            <span className="text-12 quiet tabular">
              {text.differenceAt(count(at + 1), count(differences))}
            </span>
            <IconButton small icon="up" label={text.previousDifference} onClick={() => go(at - 1)} />
            <Button look="ghost" small keys={<CommandKeys command="match.next" />} onClick={() => go(at + 1)}>
              {text.nextDifference}
            </Button>
          </>
        )}
        <Button look="ghost" small icon="close" onClick={() => useTokens.setState({ comparison: null })}>
          {text.endComparison}
        </Button>
      </div>
      <div className="pair-names text-12">
        <Side name={nameA} view={a} />
        <Side name={nameB} view={b} />
      </div>
      {failure !== null ? (
        <Empty icon="warning" title={text.notRendered} text={failure.message} />
      ) : b !== null && differences === 0 ? (
        <Empty icon="check" title={text.noDifference} text={text.noDifferenceText(nameA, nameB)} />
      ) : (
        <section
          ref={box}
          className="token-text pair-text"
          aria-label={text.comparison(nameA, nameB)}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
          tabIndex={0}
          data-pane-focus
          data-testid="token-comparison"
        >
          <div className="token-space" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, start }) => {
              const line = lines[index];
              if (line === undefined) return null;
              return (
                <div
                  key={index}
                  className={`token-row pair-row pair-row-${line.kind}`}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {line.kind === 'same' ? (
                    <span className="pair-same text-12 quiet">
                      {text.sameMessages(count(line.messages), line.messages, count(line.tokens))}
                    </span>
                  ) : line.kind === 'pair' ? (
                    <>
                      <PairHead view={a} at={line.a} missing={text.notIn(nameA)} onOpenStep={onOpenStep} />
                      <PairHead view={b} at={line.b} missing={text.notIn(nameB)} onOpenStep={onOpenStep} />
                    </>
                  ) : (
                    <>
                      <PairText view={a} line={line.a} side="a" />
                      <PairText view={b} line={line.b} side="b" />
                    </>
                  )}
                </div>
              );
            })}
          </div>
        </section>
      )}
    </div>
  );
}

function Side({ name, view }: { name: string; view: TokenView | null }) {
  const words = useText();
  const { count } = words.common.format;
  return (
    <p>
      <b className="medium">{name}</b>{' '}
      {view !== null && (
        <span className="quiet tabular">
          {words.tokens.sideCounts(
            count(view.trainedTokens),
            count(view.maskedTokens),
            count(view.starts.length),
          )}
        </span>
      )}
    </p>
  );
}

interface PairHeadProps {
  view: TokenView | null;
  at: number | null;
  missing: string;
  onOpenStep: (run: string, step: number) => void;
}

function PairHead({ view, at, missing, onOpenStep }: PairHeadProps) {
  if (view === null || at === null)
    return <div className="token-message token-message-missing quiet">{missing}</div>;
  return <MessageHead view={view} index={at} onOpenStep={onOpenStep} />;
}

function PairText({ view, line, side }: { view: TokenView | null; line: TextLine | null; side: 'a' | 'b' }) {
  if (view === null || line === null) return <div className="pair-void" />;
  const loss = view.messages[line.message]?.loss ?? 'context';
  return (
    <div className="pair-line">
      <span className={`token-gutter token-gutter-${loss}`} />
      <TextLineView view={view} from={line.from} to={line.to} cursor={-1} side={side} />
    </div>
  );
}
