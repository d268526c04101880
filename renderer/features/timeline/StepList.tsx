import { useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useCommand } from '../../state/keys/commands';
import { setFilter, useFilter } from '../../state/rows/filter';
import { chipsOf } from '../../state/rows/filter-words';
import { useGrouping } from '../../state/rows/grouping';
import { type Row, wantedSpans } from '../../state/rows/row-model';
import { useRows } from '../../state/rows/rows';
import { useLive } from '../../state/run/live';
import { useCurrentRun } from '../../state/run/runs';
import { segmentOf, toggleMissing, useSegments } from '../../state/run/segments';
import { pointAt, timelineScrolled, useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { pendingFor, useLabels } from '../labels/labels';
import { CarriedRow } from './CarriedRow';
import { GroupRow } from './GroupRow';
import { LiveRow } from './LiveRow';
import { Minimap } from './Minimap';
import { ROW } from './row-layout';
import { noteCount, summaryLines } from './row-words';
import { StepRow } from './StepRow';
import { useFlight } from './use-flight';
import { type Held, useLayout } from './use-layout';

/** Rows kept ready beyond each edge of the view. */
const OVERSCAN = 8;
/** Rows beyond each edge whose heads are read ahead. */
const READ_AHEAD = 40;
/** Rows kept between the cursor and the edge when the cursor is brought into view. */
const MARGIN = 2;

/** The virtual list: any number of steps, rows only where the reader looks, and no jump while live data arrives. */
export function StepList({ showTime }: { showTime: boolean }) {
  const text = useText();
  const { heads, steps, cursor, anchor, reveal, jumpedAt, follow, partial, version } = useTimeline();
  const model = useRows();
  const grouped = useGrouping((state) => state.grouped);
  const filtered = useFilter((state) => state.steps !== null);
  const pending = useLabels((state) => state.pending);
  const opened = useSegments((state) => state.open);
  const segments = useSegments((state) => state.list);
  const run = useCurrentRun();
  const liveStep = useLive((state) =>
    state.answer !== null && state.answer.run === run?.id ? state.answer.step : 0,
  );
  const grid = useRef<HTMLDivElement>(null);
  const flight = useFlight();
  const held = useRef<Held>({ row: undefined, index: 0, offset: 0 });
  const layout = useLayout(model, held);
  const [view, setView] = useState({ top: Math.max(0, layout.total - 600), height: 600 });
  // The view as it was last read: reading it from the page again would lay the page out in the middle of a frame.
  const shown = useRef({ top: 0, height: 600 });
  const live = !partial && liveStep > steps;
  const following = follow.following && !partial;
  // Under a filter segments have no row for their summary, so it stays with its step.
  const apart = grouped && !filtered && segments.length > 0;

  const first = Math.max(0, layout.at(view.top) - OVERSCAN);
  const last = Math.min(model.count - 1, layout.at(view.top + view.height) + OVERSCAN);
  for (let index = first; index <= last && !flight.on; index++) {
    const lines = linesUnder(model.at(index));
    if (lines !== null) layout.set(index, lines * ROW);
  }
  const total = layout.total + (live ? ROW : 0);

  /** Rows below a row's own line; null while it is not known. */
  function linesUnder(row: Row | undefined): number | null {
    if (row?.kind === 'summary') {
      const head = heads.get(row.step);
      return 1 + (head === undefined ? 0 : Math.max(0, summaryLines(head, opened.has(row.step)).length - 1));
    }
    if (row?.kind !== 'step') return 0;
    const head = heads.get(row.step);
    return head === undefined ? null : noteCount(head, { open: opened.has(row.step), summaryApart: apart });
  }
  useCommand('look.expand', () => {
    if (heads.get(cursor)?.after.some((note) => note.kind === 'summary') === true) toggleMissing(cursor);
    return false; // the step's own texts open as well
  });

  const readFrom = Math.max(0, first - READ_AHEAD);
  const readTo = Math.min(model.count - 1, last + READ_AHEAD);
  useLayoutEffect(() => {
    if (!flight.on) heads.show(wantedSpans(model, readFrom, readTo));
  }, [heads, model, readFrom, readTo, flight.on]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever moved rows, the reader's row stays or the tail is kept
  useLayoutEffect(() => {
    const want = following ? total - view.height : layout.top(held.current.index) + held.current.offset;
    if (Math.abs(shown.current.top - want) > 1) scrollTo(want);
  }, [total, version, view.height, following, model]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a cursor put somewhere by hand scrolls
  useLayoutEffect(() => {
    if (following) return;
    const index = model.nearest(cursor);
    const top = layout.top(index) - MARGIN * ROW;
    const bottom = layout.top(index + 1) + MARGIN * ROW;
    const { top: edge, height } = shown.current;
    if (top < edge) scrollTo(top);
    else if (bottom > edge + height) scrollTo(bottom - height);
  }, [reveal]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the list is put up
  useLayoutEffect(() => {
    const box = grid.current;
    if (box === null) return;
    const watcher = new ResizeObserver(() => {
      const height = box.clientHeight;
      shown.current = { ...shown.current, height };
      setView((before) => (before.height === height ? before : { ...before, height }));
    });
    watcher.observe(box);
    // A list that is put up anew stands at its top until something scrolls it.
    hold();
    // The list takes the keys of a window in which nothing else has them.
    if (document.activeElement === document.body) box.focus({ preventScroll: true });
    return () => watcher.disconnect();
  }, []);

  /** Scrolls and draws the rows there in the same frame. */
  function scrollTo(top: number): void {
    const box = grid.current;
    if (box === null) return;
    box.scrollTop = Math.max(0, top);
    hold();
  }

  /** Remembers the row at the upper edge and draws what is in view. */
  function hold(): void {
    const box = grid.current;
    if (box === null) return;
    const { scrollTop, clientHeight } = box;
    shown.current = { top: scrollTop, height: clientHeight };
    const index = layout.at(scrollTop);
    held.current = { row: model.at(index), index, offset: scrollTop - layout.top(index) };
    setView((before) =>
      before.top === scrollTop && before.height === clientHeight
        ? before
        : { top: scrollTop, height: clientHeight },
    );
  }

  function onScroll(): void {
    const box = grid.current;
    if (box === null) return;
    flight.moved(Math.abs(box.scrollTop - shown.current.top) > 2 * shown.current.height);
    hold();
    timelineScrolled(box.scrollHeight - box.scrollTop - box.clientHeight);
  }

  function place(step: number): void {
    const box = grid.current;
    if (box === null) return;
    scrollTo(layout.top(model.nearest(step)) - (box.clientHeight - ROW) / 2);
    // At once, or the tail would be kept before the scroll event tells that the reader has left it.
    timelineScrolled(box.scrollHeight - box.scrollTop - box.clientHeight);
  }

  const at = model.indexOf(cursor);
  const low = Math.min(cursor, anchor ?? cursor);
  const high = Math.max(cursor, anchor ?? cursor);
  const whole = model.count === steps || filtered;
  const rows = [];
  for (let index = first; index <= last; index++) {
    const row = model.at(index);
    if (row === undefined) continue;
    const top = layout.top(index);
    const place = whole && row.kind === 'step' ? row.step : index + 1;
    if (row.kind === 'step') {
      const { step } = row;
      const change = pendingFor(pending, step);
      rows.push(
        <StepRow
          key={step}
          step={step}
          index={place}
          top={top}
          head={flight.on ? undefined : heads.get(step)}
          cursor={step === cursor}
          inRange={anchor !== null && step >= low && step <= high}
          pending={change?.value ?? null}
          durable={change?.phase === 'durable'}
          missingOpen={opened.has(step)}
          summaryApart={apart}
          showTime={showTime}
        />,
      );
    } else if (row.kind === 'carried') {
      const { step, segment } = row;
      rows.push(
        <CarriedRow
          key={`carried-${segment}-${step}`}
          step={step}
          segment={segment}
          trainedIn={segmentOf(segments, step)?.segment ?? segment}
          index={place}
          top={top}
          head={heads.get(step)}
          cursor={step === cursor}
        />,
      );
    } else {
      const turn = row.kind === 'fold' ? null : row.segment.summaryStep;
      rows.push(
        <GroupRow
          key={`${row.kind}-${row.kind === 'fold' ? row.from : row.segment.segment}`}
          row={row}
          index={place}
          top={top}
          summary={turn === null ? undefined : heads.get(turn)}
          open={turn !== null && opened.has(turn)}
        />,
      );
    }
  }

  return (
    <div className="timeline-body">
      <Minimap
        controls="timeline-grid"
        height={view.height}
        shown={{
          from: model.stepNear(layout.at(view.top)),
          to: Math.min(steps, model.stepNear(layout.at(view.top + view.height - 1))),
        }}
        onPlace={place}
      />
      <div
        ref={grid}
        id="timeline-grid"
        role="grid"
        aria-label={text.timeline.region}
        aria-rowcount={whole ? steps : model.count}
        aria-colcount={showTime ? 5 : 4}
        aria-multiselectable="true"
        aria-activedescendant={at >= first && at <= last ? `step-${cursor}` : undefined}
        data-jumped={jumpedAt ?? undefined}
        tabIndex={0}
        className="steps"
        style={{ '--w-number': `${Math.max(4, String(steps).length)}ch` } as React.CSSProperties}
        onScroll={onScroll}
        onMouseDown={(event) => {
          const row =
            event.target instanceof Element
              ? event.target.closest<HTMLElement>('[data-step], [data-carried]')
              : null;
          if (row === null || event.button !== 0) return;
          pointAt(Number(row.dataset.step ?? row.dataset.carried), event.shiftKey);
        }}
      >
        <div role="presentation" className="steps-space" style={{ height: total }}>
          {rows}
          {live && <LiveRow top={layout.total} step={liveStep} />}
        </div>
        {filtered && model.count === 0 && <NothingFits />}
      </div>
    </div>
  );
}

/** In place of the rows: which conditions no step fits, and the way back. */
function NothingFits() {
  const text = useText();
  const query = useFilter((state) => state.query);
  const steps = useTimeline((state) => state.steps);
  const conditions = chipsOf(query, text).map(({ label }) => label);
  return (
    <div className="steps-empty">
      <Empty
        icon="filter"
        title={text.filter.emptyTitle}
        text={text.filter.emptyText(text.common.steps(steps), conditions.join('; '))}
      >
        <Button onClick={() => setFilter({})}>{text.filter.clear}</Button>
      </Empty>
    </div>
  );
}
