import type { StepHead } from '@shared/contract/views';
import { memo } from 'react';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useRuns } from '../../state/run/runs';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { StepThumbnail } from '../images/StepImage';
import type { LabelChoice } from '../labels/label-words';
import { NoteRow } from './NoteRow';
import { halvesOf, initialsOf, judgeCode, noteLines, rowSentence, ruleCodes, shownState } from './row-words';

export interface StepRowProps {
  step: number;
  /** Place among all rows, 1-based. */
  index: number;
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
  missingOpen: boolean;
  /** Its summary has a row of its own elsewhere. */
  summaryApart: boolean;
  showTime: boolean;
}

/** One step in one line, and what followed it. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, index, top, head, cursor, inRange, pending, durable, showTime } = props;
  const text = useText();
  const words = text.timeline;
  const inherited = head !== undefined && head.inheritedFrom !== null;
  const className = `step ${cursor ? 'step-cursor' : ''} ${inRange ? 'step-range' : ''} ${inherited ? 'step-inherited' : ''}`;
  const row = {
    id: `step-${step}`,
    'data-step': step,
    'aria-rowindex': index,
    'aria-selected': cursor || inRange,
    className: 'step-group',
    style: { transform: `translateY(${top}px)` },
  };
  if (head === undefined) {
    return (
      <div role="row" {...row} aria-label={words.rowLoading(step)}>
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
    <div role="row" {...row} aria-label={rowSentence(head, pending, text)}>
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
        <span role="gridcell" className="step-glyph">
          <LabelGlyph
            state={state}
            label={state === 'none' ? words.rowWithheld : text.labels[state]}
            ring={pending === null ? person : durable && pending !== 'clear'}
            pending={pending !== null && !durable}
          />
        </span>
        <span role="gridcell" className="step-text">
          <b>{actionName(head, text)}</b>
          <span className="step-gist cut" title={head.title}>
            {head.kind === 'summary' ? summaryGist(head, text) : head.title}
          </span>
          {head.image !== undefined && (
            <StepThumbnail run={head.inheritedFrom ?? head.run} image={head.image} />
          )}
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
          <RowMarks head={head} />
        </span>
        {head.done ? (
          <Opinions head={head} />
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
      {noteLines(head, { open: props.missingOpen, summaryApart: props.summaryApart }).map((line) => (
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

/** Small marks after the gist; the row's sentence says them in words. */
export function RowMarks({ head }: { head: StepHead }) {
  return (
    <>
      {head.imitatesHuman && <Icon name="warning" small className="tone-attention" />}
      {head.marks.includes('corrected') && <Icon name="repeat" small />}
      {head.flagged && <Icon name="flag" small />}
      {head.comments > 0 && <Icon name="comment" small />}
    </>
  );
}

/** Who says something, always in the same columns; who wins is bold. */
export function Opinions({ head }: { head: StepHead }) {
  const text = useText();
  const { source } = head.label;
  if (head.withheld) {
    return (
      <span role="gridcell" className="step-by step-by-hidden" title={text.timeline.rowWithheld}>
        <Icon name="lock" small />
        {text.timeline.hidden}
      </span>
    );
  }
  const judge = judgeCode(head);
  return (
    <span role="gridcell" className="step-by">
      <span
        className={source === 'rule' ? 'step-wins' : ''}
        title={head.rules.map(text.labels.ruleName).join(', ')}
      >
        {ruleCodes(head.rules)}
      </span>
      <span className={source === 'judge' ? 'step-wins' : ''} title={judgeTitle(head, text)}>
        {judge}
      </span>
      <span
        className={source === 'human' || source === 'adjudication' ? 'step-wins' : ''}
        title={head.by.join(', ')}
      >
        {head.by.slice(0, 1).map(initialsOf)}
        {head.by.length > 1 && '+'}
      </span>
    </span>
  );
}

function judgeTitle({ judge }: StepHead, text: Text): string | undefined {
  if (judge === null) return undefined;
  const { rowJudge, rowJudgesDiffer } = text.timeline;
  return judge.differ ? rowJudgesDiffer : rowJudge(judge.value, judge.confidence);
}

/** The pattern at the left edge; two halves when opinions differ. */
function Gutter({ head, state, pending }: { head: StepHead; state: string; pending: boolean }) {
  const halves = pending || head.withheld ? null : halvesOf(head);
  if (halves === null) return <i className={`gutter gutter-${state}`} />;
  return (
    <i className="gutter gutter-split">
      <i className={`gutter-${halves.left}`} />
      <i className={`gutter-${halves.right}`} />
    </i>
  );
}
