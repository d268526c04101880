import type { StepHead } from '@shared/contract/views';
import { memo } from 'react';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useText } from '../../text/language';
import { shownState } from './row-words';
import { RowMarks } from './StepRow';

export interface CarriedRowProps {
  step: number;
  /** The segment it is shown in. */
  segment: number;
  /** The segment it was sampled in, where it trains. */
  trainedIn: number;
  index: number;
  top: number;
  head: StepHead | undefined;
  cursor: boolean;
}

/** A step of an earlier segment that stood in this one's context: the same step, labelled there, trained there. */
export const CarriedRow = memo(function CarriedRow(props: CarriedRowProps) {
  const { step, segment, trainedIn, index, top, head, cursor } = props;
  const text = useText();
  const words = text.timeline;
  const state = head === undefined ? null : shownState(head, null);
  const said = [
    String(step),
    head?.tool ?? '',
    head?.title ?? '',
    words.rowCarried(trainedIn),
    state === null ? '' : text.labels[state],
  ];
  return (
    <div
      role="row"
      id={`carried-${segment}-${step}`}
      data-carried={step}
      aria-rowindex={index}
      aria-selected={cursor}
      aria-label={words.row(said.filter((part) => part !== ''))}
      className="step-group"
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="presentation" className={`step step-carried ${cursor ? 'step-cursor' : ''}`}>
        <i className="gutter gutter-carried" />
        <span role="gridcell" className="step-number">
          {step}
        </span>
        <span role="gridcell" className="step-glyph">
          <LabelGlyph state="carried" label={text.labels.carried} />
        </span>
        <span role="gridcell" className="step-text">
          {head !== undefined && <b>{head.tool === '' ? words.noCall : head.tool}</b>}
          <span className="step-gist cut">{head?.title ?? ''}</span>
          {head !== undefined && <RowMarks head={head} />}
        </span>
        <span role="gridcell" className="step-where">
          {words.trainedIn([String(trainedIn)])}
          {state !== null && <LabelGlyph state={state} label={text.labels[state]} />}
        </span>
      </div>
    </div>
  );
});
