import type { TokenView } from '@shared/contract/export-views';
import { useMemo } from 'react';
import { ColumnHeads } from '../../components/ColumnHeads';
import { LabelGlyph } from '../../components/LabelGlyph';
import { Tabs } from '../../components/Tabs';
import { useText } from '../../text/language';
import { KeyCaps, useCaps } from '../shortcuts/CommandKeys';
import { stepCounts } from './step-counts';
import { shownText, stretchAt, tokenAt, tokenRange } from './token-lines';
import { moveTo, type SideTab, useTokens } from './token-state';
import { lossOf, reasonOf, stateOf } from './token-words';

export interface TokenSideProps {
  view: TokenView;
  /** Parts that the template left out. */
  lost: number;
  onOpenStep: (run: string, step: number) => void;
}

/** Beside the text: the token under the cursor, the steps of the row, what the template left out. */
export function TokenSide({ view, lost, onOpenStep }: TokenSideProps) {
  const text = useText().tokens;
  const tab = useTokens((state) => state.side);
  const left = lost + view.warnings.length;
  return (
    <aside className="token-side" aria-label={text.side}>
      <div className="token-tabs">
        <Tabs<SideTab>
          label={text.side}
          items={[
            { id: 'token', label: text.token },
            { id: 'steps', label: text.steps },
            { id: 'lost', label: left === 0 ? text.lost : `${text.lost} ${left}` },
          ]}
          chosen={tab}
          onChoose={(side) => useTokens.setState({ side })}
          idBase="token-side"
        />
      </div>
      <div
        id="token-side-panel"
        role="tabpanel"
        aria-labelledby={`token-side-${tab}`}
        className="token-panel"
      >
        {tab === 'token' && <TokenFacts view={view} onOpenStep={onOpenStep} />}
        {tab === 'steps' && <StepCounts view={view} onOpenStep={onOpenStep} />}
        {tab === 'lost' && <LostList view={view} onOpenStep={onOpenStep} />}
      </div>
    </aside>
  );
}

type PartProps = Omit<TokenSideProps, 'lost'>;

function TokenFacts({ view, onOpenStep }: PartProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const token = useTokens((state) => Math.min(state.cursor, view.starts.length - 1));
  const around = useTokens((state) => state.around);
  const nextMasked = useCaps('match.next');
  const nextTrained = useCaps('match.previous');
  const expand = useCaps('look.expand');
  if (token < 0) return <p className="quiet text-12">{text.noToken}</p>;
  const [from, to] = tokenRange(view, token);
  const loss = lossOf(view.losses[token]);
  const message = view.messages.find((each) => each.from <= from && from < each.to);
  const [first, end] = stretchAt(view.losses, token);
  const why = message === undefined ? null : reasonOf(words, message);
  const drawn = tokenAt(view.starts, from);
  const parts = drawn - view.starts.indexOf(from) + 1;
  const decided = loss === 'trained' || loss === 'masked';
  return (
    <>
      <div id="token-facts" role="status" className="token-facts text-12" data-testid="token-facts">
        <h3>
          {text.tokenOf(count(token + 1), count(view.starts.length))}
          {around && <span className="quiet"> {text.around}</span>}
        </h3>
        <dl>
          <dt>{text.tokenText}</dt>
          <dd className="mono">
            {from === to
              ? text.partOf(
                  token - view.starts.indexOf(from) + 1,
                  parts,
                  shownText(view.text.slice(from, tokenRange(view, drawn)[1])),
                )
              : `“${shownText(view.text.slice(from, to)).replaceAll('\n', '↵')}”`}
          </dd>
          <dt>{text.id}</dt>
          <dd className="mono tabular">{view.ids[token]}</dd>
          <dt>{text.lossName}</dt>
          <dd className={`row tone-${stateOf[loss]}`}>
            <LabelGlyph state={stateOf[loss]} />
            <b className="strong">{text.lossValue[loss]}</b>
          </dd>
          {decided && why !== null && (
            <>
              <dt>{text.reason}</dt>
              <dd>{why}</dd>
            </>
          )}
          {message !== undefined && (
            <>
              <dt>{text.message}</dt>
              <dd>{text.messageOf(text.roles[message.role], message.index + 1, view.messages.length)}</dd>
            </>
          )}
          {message !== undefined && message.step > 0 && (
            <>
              <dt>{text.step}</dt>
              <dd>
                <button
                  type="button"
                  className="link tabular"
                  data-testid="token-step"
                  onClick={() => onOpenStep(view.row.run, message.step)}
                >
                  {words.labels.scopeStep(message.step)}
                </button>
              </dd>
            </>
          )}
          <dt>{text.stretch}</dt>
          <dd className="tabular">{text.stretchOf(count(first + 1), count(end), end - first)}</dd>
        </dl>
      </div>
      <dl className="token-keys text-11 quiet" aria-label={text.keys}>
        <Keys caps={nextMasked} says={text.keyMasked} />
        <Keys caps={nextTrained} says={text.keyTrained} />
        <Keys caps={['p', 'P']} says={text.keyBack} />
        <Keys caps={['←', '→', '↑', '↓']} says={text.keyMove} />
        <Keys caps={expand} says={text.keyFold} />
        <Keys caps={['[', ']']} says={text.keyRow} />
        <Keys caps={['Enter']} says={text.keyOpen} />
      </dl>
    </>
  );
}

function Keys({ caps, says }: { caps: readonly string[]; says: string }) {
  return (
    <div>
      <dt>
        <KeyCaps caps={caps} />
      </dt>
      <dd>{says}</dd>
    </div>
  );
}

/** How much of each step of the row trains. */
function StepCounts({ view, onOpenStep }: PartProps) {
  const words = useText();
  const text = words.tokens;
  const { count } = words.common.format;
  const steps = useMemo(() => stepCounts(view), [view]);
  const most = Math.max(1, ...steps.map(({ tokens }) => tokens));
  if (steps.length === 0) return <p className="quiet text-12">{text.noSteps}</p>;
  return (
    <table className="token-steps text-12">
      <caption className="hidden-visually">{text.stepsCaption}</caption>
      <ColumnHeads heads={[text.step, text.trainedTokens, text.ofTokens]} />
      <tbody>
        {steps.map((step) => (
          <tr key={step.step} data-step={step.step}>
            <th scope="row">
              <LabelGlyph state={stateOf[step.loss]} label={words.labels[stateOf[step.loss]]} />
              <button type="button" className="link tabular" onClick={() => moveTo(step.token)}>
                {step.step}
              </button>
              <button
                type="button"
                className="link token-open"
                onClick={() => onOpenStep(view.row.run, step.step)}
              >
                {text.openStep}
              </button>
            </th>
            <td className="tabular">{count(step.trained)}</td>
            <td>
              <span className="tabular quiet">{count(step.tokens)}</span>
              <span className="token-share" aria-hidden="true">
                <i
                  className={`share-${step.loss}`}
                  style={{ width: `${Math.max(2, (step.tokens / most) * 100)}%` }}
                />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the conversation holds and the rendered text does not: the model would be trained without it. */
function LostList({ view, onOpenStep }: PartProps) {
  const words = useText();
  const text = words.tokens;
  const messages = view.messages.filter(({ lost }) => lost.length > 0);
  if (messages.length === 0 && view.warnings.length === 0)
    return <p className="quiet text-12">{text.nothingLost}</p>;
  return (
    <div className="token-lost text-12" data-testid="lost">
      {view.warnings.length > 0 && (
        <ul className="token-warnings">
          {view.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {messages.length > 0 && <p className="soft">{text.lostWhy}</p>}
      <ul>
        {messages.map((message) => (
          <li key={message.index}>
            <p>
              <button
                type="button"
                className="link"
                onClick={() => moveTo(Math.max(0, tokenAt(view.starts, message.from)))}
              >
                {text.messageOf(text.roles[message.role], message.index + 1, view.messages.length)}
              </button>
              {message.step > 0 && (
                <button
                  type="button"
                  className="link tabular"
                  onClick={() => onOpenStep(view.row.run, message.step)}
                >
                  {words.labels.scopeStep(message.step)}
                </button>
              )}
            </p>
            {message.lost.map((part, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts of one rendering keep their places
              <p key={index} className="token-lost-part">
                <b className="medium">{text.lostPart(part.part, part.name)}</b>
                <span className="mono-12 quiet cut" title={part.excerpt}>
                  {shownText(part.excerpt)}
                </span>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
