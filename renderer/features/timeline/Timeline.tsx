import { useEffect } from 'react';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useCommand } from '../../state/commands';
import { setFilter } from '../../state/filter';
import { newSteps } from '../../state/follow';
import { useCurrentRun } from '../../state/runs';
import { moveToSegment, refreshSegments } from '../../state/segments';
import type { Filter } from '../../state/timeline';
import { followTail, stopFollowing, useTimeline } from '../../state/timeline';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';
import { SegmentMenu } from './SegmentMenu';
import { StepList } from './StepList';
import './timeline-notes.css';

/** The steps of the open run, with what is shown of them. */
export function Timeline({ showTime }: { showTime: boolean }) {
  const text = useText();
  const { format } = text.common;
  const run = useCurrentRun();
  const filter = useTimeline((state) => state.filter);
  const steps = useTimeline((state) => state.steps);
  const follow = useTimeline((state) => state.follow);
  const counts = run?.labels;
  const id = run?.id ?? null;
  const segments = run?.segments ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one segment more is another list
  useEffect(() => {
    if (id !== null) refreshSegments(id);
  }, [id, segments]);
  useCommand('segment.next', () => moveToSegment(1));
  useCommand('segment.previous', () => moveToSegment(-1));
  const fresh = newSteps(follow, steps);
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
        <Segmented<Filter>
          label={text.timeline.filters}
          chosen={filter}
          onChoose={setFilter}
          items={[
            { id: 'all', label: text.timeline.all },
            { id: 'decide', label: text.timeline.toDecide, count: format.count(counts?.undecided ?? 0) },
            { id: 'differ', label: text.timeline.differ, count: format.count(counts?.disagreement ?? 0) },
          ]}
        />
        {showTime && (
          <Button
            look="ghost"
            small
            icon="tail"
            aria-pressed={follow.following}
            title={text.timeline.followText}
            onClick={() => (follow.following ? stopFollowing() : followTail())}
          >
            {follow.following ? text.timeline.following : text.timeline.follow}
          </Button>
        )}
      </div>
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
        <button type="button" className="pill" onClick={followTail}>
          {text.timeline.newSteps(fresh)}
          <span className="quiet">{text.timeline.notFollowed}</span>
        </button>
      )}
    </section>
  );
}
