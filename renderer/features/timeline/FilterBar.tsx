import { Icon } from '../../components/Icon';
import { setFilter, useFilter } from '../../state/rows/filter';
import { chipsOf } from '../../state/rows/filter-words';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { useSearch } from '../search/search';

/** What is filtered, in words: how much is shown, each condition with its way out, and which hits are hidden. */
export function FilterBar() {
  const text = useText();
  const words = text.filter;
  const { format } = text.common;
  const query = useFilter((state) => state.query);
  const found = useFilter((state) => state.steps);
  const looking = useFilter((state) => state.looking);
  const steps = useTimeline((state) => state.steps);
  const hidden = useSearch((state) => state.hidden);
  const hits = useSearch((state) => state.hidden + state.total);
  const chips = chipsOf(query, text);
  if (chips.length === 0) return null;
  return (
    <section className="filter-bar" aria-label={words.region}>
      <span className="tabular" role="status">
        {looking || found === null
          ? words.looking
          : words.showing(format.count(found.length), format.count(steps))}
        {hidden > 0 && (
          <span className="tone-attention"> {words.hidesHits(format.count(hidden), format.count(hits))}</span>
        )}
      </span>
      {chips.map(({ key, label, without }) => (
        <button
          key={key}
          type="button"
          className="filter-chip"
          aria-label={words.remove(label)}
          title={words.remove(label)}
          onClick={() => setFilter(without)}
        >
          <span className="cut">{label}</span>
          <Icon name="close" small />
        </button>
      ))}
    </section>
  );
}
