import { Button } from '../../components/Button';
import { Segmented } from '../../components/Tabs';
import { setFilter, useFilter } from '../../state/rows/filter';
import { chipsOf } from '../../state/rows/filter-words';
import { useText } from '../../text/language';
import type { SearchScope } from './search';
import { setScope, useSearch } from './search';
import { useIndexProgress } from './search-index';
import { stopScan, useScan } from './search-scan';

/** Over the results: where is searched, how much was found, what narrows it, how far it is. */
export function SearchHead() {
  const text = useText();
  const words = text.search;
  const { query, scope, pattern, total, hidden, problem, answered } = useSearch();
  const scan = useScan();
  const filter = useFilter((state) => state.query);
  const chips = scope === 'run' ? chipsOf(filter, text) : [];
  const steps = pattern ? scan.steps : total;
  const counts = [words.total(steps), ...(scan.lines > 0 ? [words.lines(scan.lines)] : [])].join(', ');
  return (
    <div className="search-head">
      <Segmented<SearchScope>
        label={words.scope}
        items={[
          { id: 'run', label: words.scopeRun },
          { id: 'all', label: words.scopeAll },
        ]}
        chosen={scope}
        onChoose={setScope}
      />
      <span className="text-12 tabular" role="status">
        {query !== '' && problem === null && answered && counts}
        {hidden > 0 && total > 0 && <span className="tone-attention">{` · ${words.hidden(hidden)}`}</span>}
      </span>
      <span className="space" />
      {chips.map(({ key, label, without }) => (
        <button
          key={key}
          type="button"
          className="filter-chip"
          title={text.filter.remove(label)}
          aria-label={text.filter.remove(label)}
          onClick={() => setFilter(without)}
        >
          <span className="cut">{label}</span>
        </button>
      ))}
    </div>
  );
}

/** Under the results: what is still being looked through, and what was given up. */
export function SearchFoot() {
  const text = useText();
  const words = text.search;
  const { format } = text.common;
  const { query, pattern, behind, more, scope, problem } = useSearch();
  const scan = useScan();
  const looking = !scan.done && scan.scan !== null;
  const parts = [
    ...(looking && pattern && scan.scanned < scan.all ? [words.scannedSteps(scan.scanned, scan.all)] : []),
    ...(looking && scan.allBytes > 0
      ? [words.scannedBytes(format.bytes(scan.scannedBytes), format.bytes(scan.allBytes))]
      : []),
    ...(scan.stopped ? [words.stopped] : []),
    ...(scan.steps + scan.lines > scan.hits.length && scan.done && scan.hits.length > 0
      ? [words.tooMany(scan.hits.length)]
      : []),
    ...(more > 0 && scope === 'all' ? [words.moreRuns(more)] : []),
    ...(behind > 0 && !pattern ? [words.behind(behind)] : []),
  ];
  const said = query === '' || problem !== null ? words.help : parts.join(' · ');
  return (
    <div className="search-foot text-11 quiet">
      {scan.givenUp !== null && (
        <p className="tone-danger" role="alert">
          {words.givenUp(scan.givenUp)}
        </p>
      )}
      <span className="tabular cut">{said === '' ? words.help : said}</span>
      <span className="space" />
      <IndexNote />
      {looking && (
        <Button small look="ghost" onClick={stopScan}>
          {words.stop}
        </Button>
      )}
    </div>
  );
}

/** "Indexing 42 %, 3,200 steps to go", while it is so. */
export function IndexNote() {
  const words = useText().search;
  const progress = useIndexProgress((state) => state.progress);
  if (progress === null || progress.behind === 0) return null;
  return <span className="tabular">{words.progress(progress)}</span>;
}
