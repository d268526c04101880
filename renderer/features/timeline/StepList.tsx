import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useCommand } from '../../state/commands';
import { setFilter, useFilter } from '../../state/filter';
import { pendingFor, useLabels } from '../../state/labels';
import { useLive } from '../../state/live';
import { ROW, RowLayout } from '../../state/row-layout';
import { noteCount } from '../../state/row-words';
import { useCurrentRun } from '../../state/runs';
import { toggleMissing, useSegments } from '../../state/segments';
import { pointAt, timelineScrolled, useTimeline } from '../../state/timeline';
import { useText } from '../../text/language';
import { LiveRow } from './LiveRow';
import { Minimap } from './Minimap';
import { StepRow } from './StepRow';

/** Rows kept ready beyond each edge of the view. */
const OVERSCAN = 8;
/** Rows kept between the cursor and the edge when the cursor is brought into view. */
const MARGIN = 2;

/** The virtual list: any number of steps, rows only where the reader looks, and no jump while live data arrives. */
export function StepList({ showTime }: { showTime: boolean }) {
  const text = useText();
  const { heads, steps, cursor, anchor, reveal, follow, filter, version } = useTimeline();
  const found = useFilter((state) => state.steps);
  const scanning = useFilter((state) => state.scanning);
  const pending = useLabels((state) => state.pending);
  const opened = useSegments((state) => state.open);
  const run = useCurrentRun();
  const liveStep = useLive((state) =>
    state.answer !== null && state.answer.run === run?.id ? state.answer.step : 0,
  );
  const grid = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  // What the reader looks at: the row at the top edge and how far it is scrolled. Kept still when rows above change.
  const held = useRef({ index: 0, offset: 0 });
  const items = filter === 'all' ? null : found;
  const count = items === null ? steps : items.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, another layout
  const layout = useMemo(() => new RowLayout(0), [filter]);
  layout.count = count;
  const live = filter === 'all' && liveStep > steps;

  const first = Math.max(0, layout.at(view.top) - OVERSCAN);
  const last = Math.min(count - 1, layout.at(view.top + view.height) + OVERSCAN);
  const stepAt = (index: number): number => (items === null ? index + 1 : (items[index] ?? 0));
  for (let index = first; index <= last; index++) {
    const head = heads.get(stepAt(index));
    if (head !== undefined) layout.set(index, noteCount(head, opened.has(stepAt(index))) * ROW);
  }
  const total = layout.total + (live ? ROW : 0);

  useCommand('look.expand', () => {
    if (heads.get(cursor)?.after.some((note) => note.kind === 'summary') === true) toggleMissing(cursor);
    return false; // the step's own texts open as well
  });

  useLayoutEffect(() => {
    const from = items === null ? first + 1 : (items[first] ?? 1);
    const to = items === null ? last + 1 : (items[last] ?? 0);
    heads.show(from, to);
  }, [heads, items, first, last]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever moved rows, the reader's row stays or the tail is kept
  useLayoutEffect(() => {
    const box = grid.current;
    if (box === null) return;
    const want =
      follow.following && filter === 'all'
        ? total - box.clientHeight
        : layout.top(held.current.index) + held.current.offset;
    if (Math.abs(box.scrollTop - want) > 1) box.scrollTop = want;
  }, [total, version, view.height, follow.following, filter]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a cursor put somewhere by hand scrolls
  useLayoutEffect(() => {
    const box = grid.current;
    if (box === null || (follow.following && filter === 'all')) return;
    const index = items === null ? cursor - 1 : items.indexOf(cursor);
    if (index < 0) return;
    const top = layout.top(index) - MARGIN * ROW;
    const bottom = layout.top(index + 1) + MARGIN * ROW;
    if (top < box.scrollTop) box.scrollTop = Math.max(0, top);
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  }, [reveal, filter]);

  useLayoutEffect(() => {
    const box = grid.current;
    if (box === null) return;
    const watcher = new ResizeObserver(() =>
      setView((before) =>
        before.height === box.clientHeight ? before : { ...before, height: box.clientHeight },
      ),
    );
    watcher.observe(box);
    // The list takes the keys of a window in which nothing else has them.
    if (document.activeElement === document.body) box.focus({ preventScroll: true });
    return () => watcher.disconnect();
  }, []);

  function onScroll(): void {
    const box = grid.current;
    if (box === null) return;
    const index = layout.at(box.scrollTop);
    held.current = { index, offset: box.scrollTop - layout.top(index) };
    if (filter === 'all') timelineScrolled(box.scrollHeight - box.scrollTop - box.clientHeight);
    setView({ top: box.scrollTop, height: box.clientHeight });
  }

  const low = Math.min(cursor, anchor ?? cursor);
  const high = Math.max(cursor, anchor ?? cursor);
  const rows = [];
  for (let index = first; index <= last; index++) {
    const step = stepAt(index);
    const change = pendingFor(pending, step);
    rows.push(
      <StepRow
        key={step}
        step={step}
        top={layout.top(index)}
        head={heads.get(step)}
        cursor={step === cursor}
        inRange={anchor !== null && step >= low && step <= high}
        pending={change?.value ?? null}
        durable={change?.phase === 'durable'}
        open={opened.has(step)}
        showTime={showTime}
      />,
    );
  }

  return (
    <div className="timeline-body">
      <Minimap grid={grid} layout={layout} view={view} filtered={items !== null} />
      <div
        ref={grid}
        role="grid"
        aria-label={text.timeline.region}
        aria-rowcount={steps}
        aria-colcount={showTime ? 5 : 4}
        aria-multiselectable="true"
        aria-activedescendant={count > 0 ? `step-${cursor}` : undefined}
        tabIndex={0}
        className="steps"
        style={{ '--w-number': `${Math.max(4, String(steps).length)}ch` } as React.CSSProperties}
        onScroll={onScroll}
        onMouseDown={(event) => {
          const row =
            event.target instanceof Element ? event.target.closest<HTMLElement>('[data-step]') : null;
          if (row === null || event.button !== 0) return;
          pointAt(Number(row.dataset.step), event.shiftKey);
        }}
      >
        <div role="presentation" className="steps-space" style={{ height: total }}>
          {rows}
          {live && <LiveRow top={layout.total} step={liveStep} />}
        </div>
        {items !== null && <FilterState count={count} scanning={scanning} top={layout.total} />}
      </div>
    </div>
  );
}

/** Under a filtered list: what is still being looked for, or why it is empty. */
function FilterState({ count, scanning, top }: { count: number; scanning: boolean; top: number }) {
  const text = useText();
  const { format } = text.common;
  const filter = useTimeline((state) => state.filter);
  const steps = useTimeline((state) => state.steps);
  const run = useCurrentRun();
  const expected = filter === 'decide' ? (run?.labels.undecided ?? 0) : (run?.labels.disagreement ?? 0);
  if (scanning && count < expected) {
    return (
      <p className="steps-note" style={{ top }}>
        {text.timeline.filterLooking(format.count(count), format.count(expected))}
      </p>
    );
  }
  if (count > 0) return null;
  return (
    <div className="steps-empty">
      <Empty
        icon="filter"
        title={filter === 'decide' ? text.timeline.filterEmptyDecide : text.timeline.filterEmptyDiffer}
        text={text.timeline.filterEmptyText(text.common.steps(steps))}
      >
        <Button onClick={() => setFilter('all')}>{text.timeline.showAll}</Button>
      </Empty>
    </div>
  );
}
