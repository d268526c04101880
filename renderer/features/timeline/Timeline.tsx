import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useCommand } from '../../state/keys/commands';
import { presetOf, setFilter, setPreset, useFilter } from '../../state/rows/filter';
import { toggleFolding, toggleGrouped, useGrouping } from '../../state/rows/grouping';
import { countIn } from '../../state/rows/sorted-steps';
import { newSteps } from '../../state/run/follow';
import { useCurrentRun } from '../../state/run/runs';
import { moveToSegment, refreshSegments } from '../../state/run/segments';
import { followTail, moveCursor, stopFollowing, useTimeline } from '../../state/run/timeline';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';
import { FilterBar } from './FilterBar';
import { FilterPanel } from './FilterPanel';
import { SegmentMenu } from './SegmentMenu';
import { StepList } from './StepList';
import './timeline-groups.css';
import './timeline-notes.css';

/** Counts of the segments are read again when decisions have rested this long, ms. */
const COUNTS_AFTER = 1_000;

/** The steps of the open run, with what is shown of them. */
export function Timeline({ showTime }: { showTime: boolean }) {
  const text = useText();
  const { format } = text.common;
  const run = useCurrentRun();
  const query = useFilter((state) => state.query);
  const found = useFilter((state) => state.steps);
  const grouped = useGrouping((state) => state.grouped);
  const [filtering, setFiltering] = useState(false);
  const filterButton = useRef<HTMLButtonElement>(null);
  const steps = useTimeline((state) => state.steps);
  const follow = useTimeline((state) => state.follow);
  const counts = run?.labels;
  const id = run?.id ?? null;
  const segments = run?.segments ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one segment more is another list
  useEffect(() => {
    if (id !== null) refreshSegments(id);
  }, [id, segments]);
  // The heads of groups count decided steps; of a run with thousands of segments not after every key.
  const decided = grouped && counts !== undefined ? counts.train + counts.mask : -1;
  useEffect(() => {
    if (id === null || decided < 0) return;
    const timer = setTimeout(() => refreshSegments(id), COUNTS_AFTER);
    return () => clearTimeout(timer);
  }, [id, decided]);
  useCommand('timeline.filter', () => setFiltering(!filtering));
  useCommand('timeline.group', toggleGrouped);
  useCommand('timeline.fold', toggleFolding);
  useCommand('segment.next', () => moveToSegment(1));
  useCommand('segment.previous', () => moveToSegment(-1));
  // Under a filter only new steps that fit are told of.
  const fresh = found === null ? newSteps(follow, steps) : countIn(found, follow.seen + 1, steps);
  const showFresh = (): void => {
    const last = found?.at(-1);
    if (last === undefined) followTail();
    else moveCursor(last);
  };
  const closeFilter = (): void => {
    setFiltering(false);
    filterButton.current?.focus();
  };
  return (
    <section className="pane timeline" aria-label={text.timeline.region} data-pane="timeline">
      <div className="pane-head">
        {run !== undefined && run.segments > 1 ? (
          <>
            <h2 className="hidden-visually">{text.timeline.region}</h2>
            <SegmentMenu of={run.segments} />
          </>
        ) : (
          <h2 className="tabular cut">{steps > 0 ? text.common.steps(steps) : text.timeline.region}</h2>
        )}
        <span className="space" />
        <Segmented<string>
          label={text.timeline.filters}
          chosen={presetOf(query) ?? 'other'}
          onChoose={(preset) => setPreset(preset === 'decide' || preset === 'differ' ? preset : 'all')}
          items={[
            { id: 'all', label: text.timeline.all },
            { id: 'decide', label: text.timeline.toDecide, count: format.count(counts?.undecided ?? 0) },
            { id: 'differ', label: text.timeline.differ, count: format.count(counts?.disagreement ?? 0) },
          ]}
        />
        <IconButton
          ref={filterButton}
          className="filter-button"
          small
          icon="filter"
          label={text.filter.open}
          aria-expanded={filtering}
          aria-pressed={presetOf(query) === null}
          onClick={() => setFiltering(!filtering)}
        />
        {showTime && (
          <Button
            look="ghost"
            small
            icon="tail"
            aria-pressed={follow.following}
            title={text.timeline.followText}
            onClick={() => toggleFollowing(follow.following)}
          >
            {follow.following ? text.timeline.following : text.timeline.follow}
          </Button>
        )}
      </div>
      {run !== undefined && filtering && (
        <FilterPanel onClose={closeFilter} onLeave={() => setFiltering(false)} />
      )}
      {run !== undefined && <FilterBar />}
      {run === undefined ? (
        <Empty icon="list" title={text.timeline.noRunTitle} text={text.timeline.noRunText}>
          <Button onClick={() => openDialog('newRun')}>{text.runs.newRun}</Button>
        </Empty>
      ) : steps === 0 ? (
        <Empty icon="list" title={text.timeline.emptyTitle} text={text.timeline.emptyText} />
      ) : (
        <StepList key={run.id} showTime={showTime} />
      )}
      {fresh > 0 && (
        <button type="button" className="pill" onClick={showFresh}>
          {text.timeline.newSteps(fresh)}
          <span className="quiet">{text.timeline.notFollowed}</span>
        </button>
      )}
    </section>
  );
}

/** Following shows the end of the whole run, so a filter gives way. */
function toggleFollowing(following: boolean): void {
  if (following) stopFollowing();
  else {
    if (useTimeline.getState().partial) setFilter({});
    followTail();
  }
}
