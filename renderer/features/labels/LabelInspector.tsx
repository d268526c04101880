import type { StepDetail } from '@shared/contract/views';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useDetail } from '../../state/run/detail';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { GuidelinePanel } from './GuidelinePanel';
import { LabelHistory } from './LabelHistory';
import { OpinionLayers } from './OpinionLayers';
import { SettleBar } from './SettleBar';
import { StackNotes } from './StackNotes';
import './labels.css';

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
          run !== null &&
          (history ? (
            <LabelHistory entries={detail.labels.history} />
          ) : (
            <Stack detail={detail} run={run} step={cursor} />
          ))}
        <GuidelinePanel detail={detail} />
      </div>
    </section>
  );
}

function Stack({ detail, run, step }: { detail: StepDetail; run: string; step: number }) {
  const text = useText();
  const words = text.labels;
  const stack = detail.labels;
  const { effective } = stack;
  if (stack.withheld) {
    return (
      <>
        <div className="withheld">
          <div className="row strong text-12">
            <Icon name="lock" small />
            {words.withheldTitle}
          </div>
          <p className="text-12 quiet">{words.withheldText}</p>
        </div>
        <OpinionLayers stack={stack} step={step} />
        <StackNotes stack={stack} run={run} step={step} />
      </>
    );
  }
  return (
    <>
      <OpinionLayers stack={stack} step={step} />
      {stack.rules.length === 0 && <p className="layer-note">{words.noRules}</p>}
      <p className="layer-note">
        {words.effective}{' '}
        <b className={`strong tone-${effective.value ?? 'undecided'}`}>
          {words[effective.value ?? 'undecided']}
        </b>
        {words.effectiveEnd}
        {words.why(stack.why)}
      </p>
      <SettleBar stack={stack} />
      <StackNotes stack={stack} run={run} step={step} />
    </>
  );
}
