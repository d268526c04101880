import type { Failure } from '@shared/contract/errors';
import type { TokenizerView, TokenView } from '@shared/contract/export-views';
import { useEffect, useMemo, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { Icon } from '../../components/Icon';
import { PreviousNext } from '../../components/PreviousNext';
import { useCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { type CompareChoice, CompareSelect } from './CompareSelect';
import { RowList, type RowListProps } from './RowList';
import { TokenComparison } from './TokenComparison';
import { TokenLegend } from './TokenLegend';
import { TokenSide } from './TokenSide';
import { TokenText } from './TokenText';
import { nextStretch } from './token-lines';
import { moveTo, showRow, useTokens } from './token-state';
import './tokens.css';

export interface TokenPaneProps {
  /** Null until it is rendered, and when it could not be. */
  view: TokenView | null;
  failure: Failure | null;
  again: () => void;
  /** The other rendering, while rows are compared. */
  other: { view: TokenView | null; failure: Failure | null; name: string } | null;
  /** What the first rendering is called beside the other. */
  name: string;
  tokenizer: TokenizerView | null;
  tokenizerFailure: Failure | null;
  onChooseTokenizer: () => void;
  rows: RowListProps['rows'];
  choices: readonly CompareChoice[];
  /** Goes to a step; the token view keeps its place. */
  onOpenStep: (run: string, step: number) => void;
}

/** A row as the trainer sees it, token by token, in its pane or over the whole content of the window. */
export function TokenPane(props: TokenPaneProps) {
  const large = useTokens((state) => state.large);
  const place = large ? document.querySelector('main.content') : null;
  if (place === null) return <Pane {...props} large={false} />;
  return createPortal(
    <div className="tokens-large">
      <Pane {...props} large />
    </div>,
    place,
  );
}

function Pane({ view, failure, rows, tokenizer, large, ...props }: TokenPaneProps & { large: boolean }) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const row = useTokens((state) => state.row);
  const withRows = useTokens((state) => state.rows);
  const comparison = useTokens((state) => state.comparison);
  const box = useRef<HTMLElement>(null);
  const { of } = rows;
  const named = rows.at(row);
  useEffect(() => rows.show(row, row), [rows, row]);
  // Fewer rows than before, under another filter.
  useEffect(() => {
    if (of > 0 && row >= of) showRow(0);
  }, [of, row]);
  const last = Math.max(0, of - 1);
  useCommand('segment.next', () => (row < last ? showRow(row + 1) : false));
  useCommand('segment.previous', () => (row > 0 ? showRow(row - 1) : false));
  useCommand('app.escape', () => (large ? useTokens.setState({ large: false }) : false));
  useEffect(() => {
    if (large) box.current?.querySelector<HTMLElement>('[data-pane-focus]')?.focus();
  }, [large]);

  return (
    <section
      ref={box}
      className="tokens"
      aria-label={text.title}
      data-pane="tokens"
      data-large={large}
      data-testid="tokens"
    >
      <header className="tokens-head">
        <PreviousNext
          previous={text.previousRow}
          next={text.nextRow}
          atFirst={row <= 0}
          atLast={row >= last}
          onMove={(by) => showRow(row + by)}
        />
        <h2 className="tabular">{of === 0 ? text.noRow : text.row(count(row + 1), count(of))}</h2>
        {named !== undefined && (
          <span className="text-12 quiet cut" title={named.title}>
            {text.rowFacts(
              named.title,
              named.segment,
              named.kind,
              count(view?.starts.length ?? named.tokens),
              view !== null,
            )}
          </span>
        )}
        <span className="space" />
        <CompareSelect choices={props.choices} />
        <Button
          look="ghost"
          small
          icon="list"
          aria-pressed={withRows}
          onClick={() => useTokens.setState({ rows: !withRows })}
        >
          {text.rows}
        </Button>
        <Button
          look="ghost"
          small
          icon={large ? 'columns' : 'square'}
          onClick={() => useTokens.setState({ large: !large })}
        >
          {large ? text.shrink : text.enlarge}
        </Button>
      </header>
      <div className="tokens-body" data-rows={withRows}>
        {withRows && <RowList rows={rows} />}
        {tokenizer === null ? (
          <div className="tokens-main">
            <Empty icon="chip" title={text.noTokenizer} text={text.noTokenizerText}>
              <Button icon="folder" onClick={props.onChooseTokenizer} data-testid="choose-tokenizer">
                {text.chooseTokenizer}
              </Button>
            </Empty>
            {props.tokenizerFailure !== null && <FailureLine failure={props.tokenizerFailure} />}
          </div>
        ) : failure !== null ? (
          <div className="tokens-main">
            <Empty icon="warning" title={text.notRendered} text={failure.message}>
              <Button onClick={props.again}>{text.renderAgain}</Button>
              <Button icon="folder" onClick={props.onChooseTokenizer}>
                {text.chooseAnother}
              </Button>
            </Empty>
          </div>
        ) : view === null ? (
          <div className="tokens-main" aria-busy="true">
            <p className="tokens-wait text-12 quiet">{of === 0 ? text.noRowText : text.rendering(row + 1)}</p>
          </div>
        ) : comparison !== null && props.other !== null ? (
          <TokenComparison
            a={view}
            b={props.other.view}
            failure={props.other.failure}
            nameA={props.name}
            nameB={props.other.name}
            onOpenStep={props.onOpenStep}
          />
        ) : (
          <Rendered
            key={`${view.row.run} ${view.row.segment} ${view.row.kind}`}
            view={view}
            onOpenStep={props.onOpenStep}
          />
        )}
      </div>
    </section>
  );
}

function Rendered({ view, onOpenStep }: Pick<TokenPaneProps, 'onOpenStep'> & { view: TokenView }) {
  const text = useText().tokens;
  const lost = useMemo(() => view.messages.reduce((sum, { lost: parts }) => sum + parts.length, 0), [view]);
  const go = (loss: 't' | 'm', direction: 1 | -1) => {
    const found = nextStretch(view.losses, useTokens.getState().cursor, loss, direction);
    if (found !== null) moveTo(found.token, found.around);
  };
  useCommand('match.next', () => go('m', 1));
  useCommand('match.previous', () => go('t', 1));
  return (
    <div className="tokens-main">
      <TokenLegend view={view}>
        <Button
          look="ghost"
          small
          disabled={view.maskedTokens === 0}
          onClick={() => go('m', 1)}
          keys={<CommandKeys command="match.next" />}
        >
          {text.nextMasked}
        </Button>
        <Button
          look="ghost"
          small
          disabled={view.trainedTokens === 0}
          onClick={() => go('t', 1)}
          keys={<CommandKeys command="match.previous" />}
        >
          {text.nextTrained}
        </Button>
      </TokenLegend>
      {(lost > 0 || view.warnings.length > 0) && (
        <div className="tokens-warning text-12" role="note">
          <Icon name="warning" small />
          <span className="cut">
            {lost > 0 && <b className="medium">{text.lostCount(lost)}</b>} {view.warnings[0] ?? text.lostWhy}
          </span>
          <Button look="ghost" small onClick={() => useTokens.setState({ side: 'lost' })}>
            {text.show}
          </Button>
        </div>
      )}
      <div className="tokens-split">
        <TokenText view={view} onJump={go} onOpenStep={onOpenStep} />
        <TokenSide view={view} lost={lost} onOpenStep={onOpenStep} />
      </div>
    </div>
  );
}
