import { goTo } from '../../state/attention';
import { useRuns } from '../../state/runs';
import { placeOf, setScope, useSearch } from '../../state/search';
import { remember } from '../../state/search-recent';
import { showMoment } from '../../state/sessions-shown';
import { moveCursor } from '../../state/timeline';
import { setMode, setTab, useView } from '../../state/view';
import type { SearchRow } from './search-rows';

/** Opens the place of a result: the step, the file it changed, the terminal as it was there; of a run its own results. */
export async function openHit(row: SearchRow): Promise<void> {
  remember(useSearch.getState().query);
  const { current } = useRuns.getState();
  switch (row.kind) {
    case 'step': {
      const { hit } = row;
      if (hit === undefined) return;
      const run = row.run ?? current;
      if (run !== null && run !== current) await goTo(run, hit.step);
      else moveCursor(hit.step);
      const place = placeOf(useSearch.getState(), hit.step);
      useSearch.setState({ went: place === 0 ? null : { step: hit.step, place } });
      if (hit.field === 'file') setTab('files');
      else if (useView.getState().tab !== 'step') setTab('step');
      return;
    }
    case 'line':
      if (row.run !== current) await goTo(row.run, null);
      setMode('watch');
      showMoment(row.line.uid, row.line.endOffset);
      return;
    case 'run':
      if (row.run !== current) await goTo(row.run, null);
      setScope('run');
      return;
    case 'terminals':
      return;
  }
}
