import { asksForAll } from '@shared/contract/asks-for-all';
import { useEffect } from 'react';
import { openComputers } from '../../state/computers';
import { useCommand } from '../../state/keys/commands';
import { setFilter, useFilter } from '../../state/rows/filter';
import { rowsNow } from '../../state/rows/rows';
import { clearRange, moveCursor, useTimeline } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { openDialog, setMode, setTab, useView } from '../../state/view';
import { compareOpenRun, showExperiments } from '../experiments/experiments';
import { reviewOpenRun } from '../jobs/judge-batches';
import { openJudge } from '../judging/judging';
import { openRubric } from '../judging/rubric';
import { useLabelCommands } from '../labels/label-commands';
import { following, preceding } from '../labels/labels';
import { openPalette } from '../palette/palette';
import { openJudgeQuality } from '../plots/plots-state';
import { clearSearch, useSearch } from '../search/search';
import { jump } from '../timeline/jump';
import { cyclePane } from './cycle-pane';

/** The commands of the frame, for as long as a run can be open. */
export function useAppCommands(): void {
  useCommand('step.next', () => walk(following));
  useCommand('step.previous', () => walk(preceding));
  useCommand('step.nextOpen', () => attempt(() => jump('open', 1)));
  useCommand('step.previousOpen', () => attempt(() => jump('open', -1)));
  useCommand('step.first', () => moveCursor(rowsNow().first ?? 1));
  useCommand('step.last', () => moveCursor(rowsNow().last ?? useTimeline.getState().steps));
  useCommand('hint.next', () => attempt(() => jump('hint', 1)));
  useCommand('hint.previous', () => attempt(() => jump('hint', -1)));
  useCommand('error.next', () => attempt(() => jump('error', 1)));
  useCommand('mode.watch', () => setMode('watch'));
  useCommand('mode.review', () => setMode('review'));
  useCommand('mode.export', () => setMode('export'));
  useLabelCommands();
  useCommand('look.prompt', () => openTab('prompt', { promptChanges: false }));
  useCommand('look.promptDiff', () => openTab('prompt', { promptChanges: true }));
  useCommand('look.diff', () => openTab('files', { fileHistory: false }));
  useCommand('look.fileHistory', () => openTab('files', { fileHistory: true }));
  useCommand('look.queries', () => openTab('queries', {}));
  useExpanding();
  useCommand('app.palette', openPalette);
  useCommand('app.newRun', () => openDialog('newRun'));
  useCommand('app.plots', () => openDialog('plots'));
  useCommand('app.judgeQuality', () => openJudgeQuality());
  useCommand('app.experiments', () => attempt(showExperiments));
  useCommand('run.compare', compareOpenRun);
  useCommand('app.rules', () => openDialog('rules'));
  useCommand('app.import', () => openDialog('import'));
  useCommand('run.judge', () => openJudge());
  useCommand('run.rubric', () => openRubric());
  useCommand('queue.judgeDiffers', () => attempt(() => reviewOpenRun('differs')));
  useCommand('queue.judgeUnsure', () => attempt(() => reviewOpenRun('unsure')));
  useCommand('app.computers', () => openComputers());
  useCommand('app.settings', () => openDialog('settings'));
  useCommand('app.shortcuts', () => openDialog('shortcuts'));
  useCommand('app.about', () => openDialog('about'));
  useCommand('app.nextPane', () => cyclePane(1));
  useCommand('app.previousPane', () => cyclePane(-1));
  useCommand('app.escape', () => {
    if (clearRange()) return;
    if (useView.getState().tab !== 'step') return setTab('step');
    if (useSearch.getState().query !== '') return clearSearch();
    if (!asksForAll(useFilter.getState().query)) return setFilter({});
    return false;
  });
}

/** One step on or back. Where the cursor has just jumped it is not clear from which step, so the jump is not forgotten. */
function walk(beside: (step: number) => number): void {
  const { cursor, jumpedAt } = useTimeline.getState();
  moveCursor(beside(cursor));
  useTimeline.setState({ jumpedAt });
}

/** `o` opens what is long on this step, and leaving the step closes it; `O` holds for every step. */
function useExpanding(): void {
  useCommand('look.expand', () =>
    useView.setState(({ expanded }) => ({ expanded: !expanded, expandedAll: false })),
  );
  useCommand('look.expandAll', () =>
    useView.setState(({ expandedAll }) => ({ expanded: !expandedAll, expandedAll: !expandedAll })),
  );
  useEffect(
    () =>
      useTimeline.subscribe((state, before) => {
        const { expanded, expandedAll } = useView.getState();
        if (state.cursor !== before.cursor && expanded && !expandedAll) useView.setState({ expanded: false });
      }),
    [],
  );
}

/** Opens a tab of the step; the same key again goes back to the step itself. */
function openTab(
  tab: 'prompt' | 'files' | 'queries',
  how: { promptChanges?: boolean; fileHistory?: boolean },
): void {
  const view = useView.getState();
  const same =
    view.tab === tab &&
    (how.promptChanges === undefined || how.promptChanges === view.promptChanges) &&
    (how.fileHistory === undefined || how.fileHistory === view.fileHistory);
  useView.setState(how);
  setTab(same ? 'step' : tab);
}
