import { asksForAll } from '@shared/step-query';
import { useCommand } from '../../state/commands';
import { openComputers } from '../../state/computers';
import { setFilter, useFilter } from '../../state/filter';
import { jump } from '../../state/jump';
import {
  agree,
  armReason,
  decide,
  following,
  preceding,
  repeatLast,
  toggleFlag,
  undo,
} from '../../state/labels';
import { clearSearch, useSearch } from '../../state/search';
import { clearRange, moveCursor, toggleRange, useTimeline } from '../../state/timeline';
import { attempt, toast } from '../../state/toasts';
import { openDialog, setMode, setTab, useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { cyclePane } from './panes';

/** Refuses to accept what cannot be kept: says so instead of labelling. */
function labelling(work: () => void): () => void {
  return () => {
    const { problem } = useWorkspace.getState();
    if (problem === null) work();
    else toast((text) => (problem.code === 'disk_full' ? text.labels.blockedDisk : text.labels.blocked));
  };
}

/** The commands of the frame, for as long as a run can be open. */
export function useAppCommands(): void {
  const cursor = (): number => useTimeline.getState().cursor;
  useCommand('step.next', () => moveCursor(following(cursor())));
  useCommand('step.previous', () => moveCursor(preceding(cursor())));
  useCommand('step.nextOpen', () => attempt(() => jump('open', 1)));
  useCommand('step.previousOpen', () => attempt(() => jump('open', -1)));
  useCommand('step.first', () => moveCursor(1));
  useCommand('step.last', () => moveCursor(useTimeline.getState().steps));
  useCommand('hint.next', () => attempt(() => jump('hint', 1)));
  useCommand('hint.previous', () => attempt(() => jump('hint', -1)));
  useCommand('error.next', () => attempt(() => jump('error', 1)));
  useCommand('mode.watch', () => setMode('watch'));
  useCommand('mode.review', () => setMode('review'));
  useCommand('mode.export', () => setMode('export'));
  useCommand(
    'label.train',
    labelling(() => decide('train')),
  );
  useCommand(
    'label.mask',
    labelling(() => decide('mask')),
  );
  useCommand(
    'label.clear',
    labelling(() => decide('clear')),
  );
  useCommand('label.agree', labelling(agree));
  useCommand('label.repeat', labelling(repeatLast));
  useCommand('label.range', toggleRange);
  useCommand(
    'label.flag',
    labelling(() => attempt(toggleFlag)),
  );
  useCommand(
    'label.undo',
    labelling(() => attempt(() => undo('undo'))),
  );
  useCommand(
    'label.redo',
    labelling(() => attempt(() => undo('redo'))),
  );
  useReasonCommands();
  useCommand(
    'label.comment',
    labelling(() => {
      if (cursor() > 0) useView.setState({ commenting: cursor() });
    }),
  );
  useCommand('look.prompt', () => openTab('prompt', { promptChanges: false }));
  useCommand('look.promptDiff', () => openTab('prompt', { promptChanges: true }));
  useCommand('look.diff', () => openTab('files', { fileHistory: false }));
  useCommand('look.fileHistory', () => openTab('files', { fileHistory: true }));
  useCommand('look.queries', () => openTab('queries', {}));
  useCommand('look.expand', () => useView.setState((state) => ({ expanded: !state.expanded })));
  useCommand('app.newRun', () => openDialog('newRun'));
  useCommand('app.import', () => openDialog('import'));
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

function useReasonCommands(): void {
  useCommand('reason.1', () => armReason(1));
  useCommand('reason.2', () => armReason(2));
  useCommand('reason.3', () => armReason(3));
  useCommand('reason.4', () => armReason(4));
  useCommand('reason.5', () => armReason(5));
  useCommand('reason.6', () => armReason(6));
  useCommand('reason.7', () => armReason(7));
  useCommand('reason.8', () => armReason(8));
  useCommand('reason.9', () => armReason(9));
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
