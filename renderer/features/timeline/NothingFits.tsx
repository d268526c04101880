import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { setFilter, useFilter } from '../../state/rows/filter';
import { chipsOf } from '../../state/rows/filter-words';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** In place of the rows: which conditions no step fits, and the way back. */
export function NothingFits() {
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
