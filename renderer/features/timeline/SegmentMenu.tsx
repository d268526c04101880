import { Icon } from '../../components/Icon';
import { Menu } from '../../components/Menu';
import { toggleFolding, toggleGrouped, useGrouping } from '../../state/rows/grouping';
import { segmentOf, useSegments } from '../../state/run/segments';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** Which context life the cursor is in, and the way to the others. */
export function SegmentMenu({ of }: { of: number }) {
  const words = useText().timeline;
  const list = useSegments((state) => state.list);
  const cursor = useTimeline((state) => state.cursor);
  const steps = useTimeline((state) => state.steps);
  const { grouped, folding } = useGrouping();
  const here = segmentOf(list, cursor)?.segment ?? of;
  return (
    <Menu
      label={words.segments}
      items={[
        {
          id: 'group',
          label: grouped ? words.flat : words.grouped,
          icon: 'list',
          run: toggleGrouped,
        },
        {
          id: 'fold',
          label: folding ? words.unfolded : words.folded,
          icon: 'columns',
          run: toggleFolding,
        },
        ...list
          .filter(({ firstStep }) => firstStep <= steps)
          .map(({ segment, firstStep }, index, shown) => ({
            id: String(segment),
            label: words.segment(segment, of),
            text: words.ofSteps(firstStep, (shown[index + 1]?.firstStep ?? steps + 1) - 1),
            line: index === 0,
            run: () => moveCursor(firstStep),
          })),
      ]}
      button={(props) => (
        <button type="button" className="segment-button" title={words.segments} {...props}>
          <span className="tabular cut">{words.segment(here, of)}</span>
          <Icon name="down" small />
        </button>
      )}
    />
  );
}
