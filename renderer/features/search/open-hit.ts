import { useRuns } from '../../state/run/runs';
import { moveCursor } from '../../state/run/timeline';
import { setMode, setTab, useView } from '../../state/view';
import { goTo } from '../inbox/attention';
import { showMoment } from '../terminals/sessions-shown';
import { placeOf, setScope, useSearch } from './search';
import { remember } from './search-recent';
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
