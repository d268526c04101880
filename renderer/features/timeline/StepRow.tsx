import type { StepHead } from '@shared/views';
import { memo } from 'react';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import type { LabelChoice } from '../../state/labels';
import { initialsOf, noteLines, rowSentence, ruleCodes, shownState } from '../../state/row-words';
import { useRuns } from '../../state/runs';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { NoteRow } from './NoteRow';

export interface StepRowProps {
  step: number;
  /** Distance from the top of the list, px. */
  top: number;
  /** Undefined while it is being read. */
  head: StepHead | undefined;
  cursor: boolean;
  inRange: boolean;
  /** What the person has just decided, until its head is fresh. */
  pending: LabelChoice | null;
  /** The pending decision is on the disk. */
  durable: boolean;
  /** The list of what its summary no longer mentions is open. */
  open: boolean;
  showTime: boolean;
}

/** One step in one line, and what followed it. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, top, head, cursor, inRange, pending, durable, open, showTime } = props;
  const text = useText();
  const words = text.timeline;
  const inherited = head !== undefined && head.inheritedFrom !== null;
  const className = `step ${cursor ? 'step-cursor' : ''} ${inRange ? 'step-range' : ''} ${inherited ? 'step-inherited' : ''}`;
  const place = { transform: `translateY(${top}px)` };
  if (head === undefined) {
    return (
      <div
        role="row"
        id={`step-${step}`}
        data-step={step}
        aria-rowindex={step}
        aria-selected={cursor || inRange}
        aria-label={words.rowLoading(step)}
        className="step-group"
        style={place}
      >
        <div role="gridcell" className={className}>
          <i className="gutter" />
          <span className="step-number">{step}</span>
        </div>
      </div>
    );
  }
  const state = shownState(head, pending);
  const person = head.label.source === 'human' || head.label.source === 'adjudication';
  const failed = !head.ok || (head.exitCode !== null && head.exitCode !== 0);
  return (
    <div
      role="row"
      id={`step-${step}`}
      data-step={step}
      aria-rowindex={step}
      aria-selected={cursor || inRange}
      aria-label={rowSentence(head, pending, text)}
      className="step-group"
      style={place}
    >
      <div
        role="presentation"
        className={className}
        data-label={state}
        data-pending={pending !== null && !durable}
      >
        <Gutter head={head} state={state} pending={pending !== null} />
        <span role="gridcell" className="step-number">
          {step}
        </span>
        <span role="gridcell">
          <LabelGlyph
            state={state}
            label={text.labels[state]}
            ring={pending === null ? person : durable && pending !== 'clear'}
            pending={pending !== null && !durable}
          />
        </span>
        <span role="gridcell" className="step-text">
          <b>{actionName(head, text)}</b>
          <span className="step-gist cut" title={head.title}>
            {head.kind === 'summary' ? summaryGist(head, text) : head.title}
          </span>
          {head.inheritedFrom !== null && <Inherited run={head.inheritedFrom} />}
          {failed && (
            <span className="step-failed">
              {head.exitCode !== null && head.exitCode !== 0
                ? words.exit(head.exitCode)
                : (head.errorCode ?? words.rowFailed)}
            </span>
          )}
          {head.score !== null && (
            <span className="step-score tabular">{text.common.format.score(head.score)}</span>
          )}
          {head.imitatesHuman && <Icon name="warning" small className="tone-attention" />}
          {head.flagged && <Icon name="flag" small />}
          {head.comments > 0 && <Icon name="comment" small />}
        </span>
        {head.done ? (
          <span role="gridcell" className="step-by">
            <span
              className={head.label.source === 'rule' ? 'step-wins' : ''}
              title={head.rules.map(text.labels.ruleName).join(', ')}
            >
              {ruleCodes(head.rules)}
            </span>
            <span className={person ? 'step-wins' : ''} title={head.by.join(', ')}>
              {head.by.map(initialsOf).join(' ')}
            </span>
          </span>
        ) : (
          <span role="gridcell" className="step-by step-by-live">
            <span className="chip">
              <Icon name={head.tool === 'sleep' ? 'moon' : 'working'} small />
              {words.running}
            </span>
          </span>
        )}
        {showTime && (
          <span role="gridcell" className="step-time">
            {text.common.format.clock(head.at)}
          </span>
        )}
      </div>
      {noteLines(head, open).map((line) => (
        <NoteRow key={line.key} line={line} />
      ))}
    </div>
  );
});

function actionName(head: StepHead, text: Text): string {
  if (head.kind === 'summary') return text.timeline.summary;
  return head.tool === '' ? text.timeline.noCall : head.tool;
}

/** Which steps a summary turn stands for. */
function summaryGist(head: StepHead, text: Text): string {
  const note = head.after.find((one) => one.kind === 'summary');
  return note?.kind === 'summary' && note.steps !== null
    ? text.timeline.ofSteps(note.steps.from, note.steps.to)
    : '';
}

/** The step was made in another run, and is labelled there. */
function Inherited({ run }: { run: string }) {
  const text = useText();
  const title = useRuns((state) => state.list.find((other) => other.id === run)?.title);
  return (
    <span className="step-from" title={text.timeline.inheritedText}>
      <Icon name="branch" small />
      <span className="cut">{text.timeline.fromRun(title ?? run.slice(-6))}</span>
    </span>
  );
}

/** The pattern at the left edge; two halves when opinions differ: machine left, people right. */
function Gutter({ head, state, pending }: { head: StepHead; state: string; pending: boolean }) {
  if (!head.label.disagreement || pending) return <i className={`gutter gutter-${state}`} />;
  const machine = head.rules.length > 0 ? 'mask' : 'undecided';
  const people =
    head.label.value === null ? 'train' : head.label.value === 'mask' && machine === 'mask' ? 'train' : state;
  return (
    <i className="gutter gutter-split">
      <i className={`gutter-${machine}`} />
      <i className={`gutter-${people}`} />
    </i>
  );
}
