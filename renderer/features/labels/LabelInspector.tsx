import type { LabelStack, StepHead } from '@shared/views';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useDetail } from '../../state/detail';
import { armReason, reasonCodes, useLabels } from '../../state/labels';
import { useSettings } from '../../state/settings';
import { moveCursor, useTimeline } from '../../state/timeline';
import { useText } from '../../text/language';
import { LabelHistory } from './LabelHistory';

/** Every opinion on the step, who wins and why; below it the guideline. */
export function LabelInspector() {
  const text = useText();
  const words = text.labels;
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const detail = useDetail(run, cursor);
  const [history, setHistory] = useState(false);
  return (
    <section className="column pane-rest" aria-label={words.stack(cursor)}>
      <div className="pane-head">
        <h2>{words.stack(cursor)}</h2>
        <span className="space" />
        {detail !== undefined && (
          <Button look="ghost" small aria-pressed={history} onClick={() => setHistory(!history)}>
            {words.history(detail.labels.history.length)}
          </Button>
        )}
      </div>
      <div className="scroll">
        {detail !== undefined &&
          (history ? (
            <LabelHistory entries={detail.labels.history} />
          ) : (
            <Stack stack={detail.labels} head={detail.head} />
          ))}
        <Guideline />
      </div>
    </section>
  );
}

function Stack({ stack, head }: { stack: LabelStack; head: StepHead }) {
  const text = useText();
  const words = text.labels;
  const { format } = text.common;
  const me = useSettings((state) => state.settings?.annotator.uuid);
  const { effective } = stack;
  const byPerson = effective.source === 'human' || effective.source === 'adjudication';
  const mine = stack.humans.some((human) => human.author.uuid === me);
  return (
    <>
      {!mine && (
        <Layer pattern="" who={words.you} wins={false}>
          <div className="layer-head quiet">{words.noDecision}</div>
          <p>{words.yoursWins}</p>
        </Layer>
      )}
      {stack.humans.map((human) => (
        <Layer
          key={human.entry}
          pattern={human.value}
          who={human.adjudication ? words.adjudication : human.author.uuid === me ? words.you : words.person}
          wins={
            byPerson &&
            effective.value === human.value &&
            (effective.source !== 'adjudication' || human.adjudication)
          }
        >
          <div className={`layer-head tone-${human.value}`}>
            <LabelGlyph state={human.value} />
            <span>{words[human.value]}</span>
            <span className="quiet cut">{human.author.name}</span>
          </div>
          <p>
            {human.reason !== null && human.reason !== '' ? `${words.reasonName(human.reason)}, ` : ''}
            {words.decidedAt(format.clock(human.at))}
          </p>
        </Layer>
      ))}
      {stack.rules.map((rule) => {
        const value = rule.effect === 'keep' ? 'train' : 'mask';
        return (
          <Layer
            key={`${rule.rule}-${rule.version}`}
            pattern={value}
            who={rule.effect === 'keep' ? words.keepRule : words.rule}
            wins={effective.source === 'rule' && effective.value === value}
          >
            <div className={`layer-head tone-${value}`}>
              <LabelGlyph state={value} />
              <span>{words[value]}</span>
              {rule.hard && <span className="chip">{words.hard}</span>}
            </div>
            <p>
              <span className="mono-11">{rule.rule}</span> {words.version(rule.version)}
              {': '}
              {rule.why}
            </p>
            {rule.steps.filter((step) => step !== head.step).length > 0 && (
              <p>
                {words.tied}{' '}
                {rule.steps
                  .filter((step) => step !== head.step)
                  .map((step) => (
                    <button
                      key={step}
                      type="button"
                      className="link layer-step"
                      onClick={() => moveCursor(step)}
                    >
                      {step}
                    </button>
                  ))}
              </p>
            )}
          </Layer>
        );
      })}
      {stack.rules.length === 0 && <p className="layer-note">{words.noRules}</p>}
      <p className="layer-note">
        {words.effective}{' '}
        <b className={`strong tone-${effective.value ?? 'undecided'}`}>
          {words[effective.value ?? 'undecided']}
        </b>
        {'. '}
        {words.why(stack.why)}
      </p>
    </>
  );
}

interface LayerProps {
  pattern: string;
  who: string;
  wins: boolean;
  children: ReactNode;
}

function Layer({ pattern, who, wins, children }: LayerProps) {
  const text = useText();
  return (
    <div className={`layer ${wins ? 'layer-wins' : ''}`}>
      <i className={`gutter ${pattern === '' ? '' : `gutter-${pattern}`}`} />
      <div className="layer-who">
        {who}
        {wins && <span className="chip">{text.labels.wins}</span>}
      </div>
      <div className="layer-body">{children}</div>
    </div>
  );
}

/** The nine priorities of the paper's filter; a click or its digit attaches one to the next label. */
function Guideline() {
  const text = useText();
  const words = text.labels;
  const reason = useLabels((state) => state.reason);
  return (
    <>
      <div className="pane-head guideline-head">
        <Icon name="book" className="quiet" />
        <h2>{words.guideline}</h2>
        <span className="space" />
        <span className="text-11 quiet">{words.guidelineNote}</span>
      </div>
      <ol>
        {reasonCodes.map((code, index) => (
          <li key={code}>
            <button
              type="button"
              className="guideline-rule"
              aria-pressed={reason === code}
              onClick={() => armReason(index + 1)}
            >
              <span className="mono-12 quiet">{index + 1}</span>
              <span className="cut">{words.reasonName(code)}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
