import type { StepHead } from '@shared/contract/views';
import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useFilter } from '../../state/rows/filter';
import { toggleCarried, toggleFold, useGrouping } from '../../state/rows/grouping';
import type { Row } from '../../state/rows/row-model';
import { countIn } from '../../state/rows/sorted-steps';
import { useSegments } from '../../state/run/segments';
import { useText } from '../../text/language';
import { NoteRow } from './NoteRow';
import { summaryLines } from './row-words';

export type HeadRow = Exclude<Row, { kind: 'step' | 'carried' }>;

export interface GroupRowProps {
  row: HeadRow;
  index: number;
  top: number;
  /** The summary turn's head, for rows that tell of it. */
  summary: StepHead | undefined;
  open: boolean;
}

/** A row of the list that is no step: the head of a segment, its summary, or what is folded. */
export function GroupRow({ index, top, ...what }: GroupRowProps) {
  return (
    <div
      role="row"
      aria-rowindex={index}
      className="step-group"
      style={{ transform: `translateY(${top}px)` }}
    >
      <Content {...what} />
    </div>
  );
}

function Content({ row, summary, open }: Pick<GroupRowProps, 'row' | 'summary' | 'open'>) {
  const text = useText();
  const words = text.timeline;
  const { format } = text.common;
  const segments = useSegments((state) => state.list);
  const masked = useGrouping((state) => state.facts.masked);
  const found = useFilter((state) => state.steps);
  switch (row.kind) {
    case 'segment': {
      return (
        <Line look="group-segment" icon={<LabelGlyph state="none" />} meta="">
          <b>{words.segmentHead(row.segment.segment)}</b> <span className="quiet">{words.taskHead}</span>
        </Line>
      );
    }
    case 'summary': {
      const lines = summary === undefined ? [] : summaryLines(summary, open);
      return lines.length > 0 ? (
        lines.map((line) => <NoteRow key={line.key} line={line} />)
      ) : (
        <div role="gridcell" className="note note-summary">
          <span className="note-text quiet">{words.readingSegment}</span>
        </div>
      );
    }
    case 'carriedFold': {
      const { from, to } = row;
      const where = segments.filter(
        (each) => each.segment < row.segment.segment && each.firstStep <= to && each.lastStep >= from,
      );
      return (
        <Fold
          gutter="carried"
          open={row.open}
          toggle={() => toggleCarried(row.segment.segment)}
          label={words.carriedSteps(from, to, format.count(to - from + 1))}
          meta={<span className="quiet">{words.trainedIn(where.map((each) => String(each.segment)))}</span>}
        />
      );
    }
    case 'own': {
      const { from, to, segment } = row;
      const of = to - from + 1;
      const decided = Math.max(0, of - segment.counts.undecided);
      return (
        <Line
          look="group-own"
          icon={<Icon name="down" />}
          meta={
            found === null
              ? words.decidedOf(format.count(decided), format.count(of))
              : words.foundOf(format.count(countIn(found, from, to)), format.count(of))
          }
        >
          <b>{words.ownSteps(from, to)}</b>{' '}
          {found !== null && <span className="quiet">{words.segmentHead(segment.segment)}</span>}
        </Line>
      );
    }
    case 'fold': {
      const of = row.to - row.from + 1;
      const mask = countIn(masked, row.from, row.to);
      return (
        <Fold
          gutter={mask === of ? 'mask' : 'train'}
          open={row.open}
          toggle={() => toggleFold(row.from, row.to)}
          label={words.decidedSteps(row.from, row.to, format.count(of))}
          meta={
            <>
              {mask < of && (
                <span className="fold-count">
                  <LabelGlyph state="train" label={words.foldTrain(format.count(of - mask))} />
                  <span aria-hidden="true">{format.count(of - mask)}</span>
                </span>
              )}
              {mask > 0 && (
                <span className="fold-count">
                  <LabelGlyph state="mask" label={words.foldMask(format.count(mask))} />
                  <span aria-hidden="true">{format.count(mask)}</span>
                </span>
              )}
            </>
          }
        />
      );
    }
  }
}

function Line(props: { look: string; icon: ReactNode; meta: string; children: ReactNode }) {
  return (
    <div role="gridcell" className={`note ${props.look}`}>
      <i className="gutter" />
      <span className="note-icon quiet">{props.icon}</span>
      <span className="note-text cut">{props.children}</span>
      <span className="text-11 quiet tabular">{props.meta}</span>
    </div>
  );
}

interface FoldProps {
  gutter: string;
  open: boolean;
  toggle: () => void;
  label: string;
  meta: ReactNode;
}

function Fold({ gutter, open, toggle, label, meta }: FoldProps) {
  return (
    <div role="gridcell" className="group-fold">
      <button type="button" className="note" aria-expanded={open} onClick={toggle}>
        <i className={`gutter gutter-${gutter}`} />
        <span className="note-icon quiet">
          <Icon name={open ? 'down' : 'right'} />
        </span>
        <span className="note-text cut tabular">{label}</span>
        <span className="fold-meta text-11 tabular">{meta}</span>
      </button>
    </div>
  );
}
