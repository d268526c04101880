import { call, listen } from './api';
import { addApproval, dropApprovals, loadApprovals } from './features/approvals/approvals';
import { loadHints, useHints } from './features/hints/hints';
import { loadJobs, startJobs } from './features/jobs/jobs';
import { beginBatches, loadBatches, startBatches } from './features/jobs/judge-batches';
import { startHostPrompts } from './features/prompts/host-prompts';
import { clearSearch } from './features/search/search';
import { forgetAnswers, refreshAnswers } from './state/answer-cache';
import { loadComputers, startComputers } from './state/computers';
import { runCommand } from './state/keys/commands';
import { type CommandId, commandTable } from './state/keys/keymap';
import { continueFilter, refreshFilter, setFilter } from './state/rows/filter';
import { continueFolding, openGrouping, refreshFolding } from './state/rows/grouping';
import { keepCursorShown } from './state/rows/shown-cursor';
import { invalidateDetails, loadDetail, useDetails } from './state/run/detail';
import { addDelta, endLive } from './state/run/live';
import { askRuns, loadRuns, refreshRun, refreshRuns, useRuns } from './state/run/runs';
import { afterFirstRows, loadTiles, openTimeline, useTimeline } from './state/run/timeline';
import { loadSettings, useSettings } from './state/settings';
import { attempt, toast } from './state/toasts';
import {
  chooseWorkspace,
  loadWorkspace,
  setWorkspace,
  showUnreadable,
  useWorkspace,
} from './state/workspace';

/** Connects the stores to the main process: first everything is read, then each event reads what it makes stale. */
export function startSync(): () => void {
  const stops = [
    startComputers(),
    startHostPrompts(),
    startJobs(),
    startBatches(),
    listen('datasets.changed', () => {
      refreshAnswers('datasets.list');
      refreshAnswers('datasets.forStep');
    }),
    keepCursorShown(),
    listen('run.changed', ({ run, seq, steps }) => {
      refreshRun(run);
      const timeline = useTimeline.getState();
      if (timeline.run !== run) return;
      const before = timeline.steps;
      timeline.heads.advance(seq, steps);
      invalidateDetails(run, Math.max(1, before), Math.max(1, steps));
      loadTiles(run);
      loadHints(run);
      continueFilter();
      continueFolding();
    }),
    listen('run.listChanged', listChanged),
    listen('labels.changed', ({ run, from, to }) => {
      refreshRun(run);
      if (useTimeline.getState().run !== run) return;
      useTimeline.getState().heads.invalidate(from, to);
      refreshFilter(from, to);
      refreshFolding(from, to);
      invalidateDetails(run, from, to);
      loadTiles(run);
    }),
    listen('hints.changed', ({ run }) => {
      refreshRun(run);
      if (useTimeline.getState().run === run) loadHints(run);
    }),
    listen('live.delta', (delta) => {
      if (useTimeline.getState().run === delta.run) addDelta(delta);
    }),
    listen('workspace.problem', ({ problem }) => useWorkspace.setState({ problem })),
    listen('workspace.unreadable', ({ failure }) => showUnreadable(failure)),
    listen('workspace.changed', (status) => {
      setWorkspace(status);
      if (status.folder === null) return;
      attempt(loadRuns);
      attempt(loadJobs);
      attempt(beginBatches);
    }),
    listen('settings.changed', (settings) => useSettings.setState({ settings })),
    useSettings.subscribe(({ settings }, before) => {
      const name = before.settings?.annotator.name;
      if (name === undefined || settings?.annotator.name === name) return;
      forgetOpinions();
      // A person may be named before there is a workspace.
      if (useWorkspace.getState().status?.folder != null) attempt(loadBatches);
    }),
    listen('approval.asked', addApproval),
    listen('menu.command', ({ command }) => runMenuCommand(command)),
    listen('own.left', ({ command }) => {
      const known = commandTable.find(({ id }) => id === command);
      if (known !== undefined) runCommand(known.id);
    }),
    useRuns.subscribe((state, before) => {
      if (state.current !== before.current) openCurrent();
      else catchUp();
      for (const run of before.list) {
        const now = state.list.find((other) => other.id === run.id);
        if (run.state === 'waiting_human' && now?.state !== 'waiting_human') dropApprovals(run.id);
      }
      for (const run of state.list) {
        const known = before.list.find((other) => other.id === run.id);
        // The question itself may not have been heard: over a slow link, or among very many other events.
        if (run.state === 'waiting_human' && known?.state !== 'waiting_human') {
          attempt(() => loadApprovals(run.id));
        }
      }
    }),
    useTimeline.subscribe((state, before) => {
      if (state.run !== before.run || state.cursor !== before.cursor) {
        if (state.run !== null && state.cursor > 0) loadDetail(state.run, state.cursor);
      }
      if (state.run !== null && state.version !== before.version) {
        const last = state.heads.get(state.steps);
        endLive(state.run, last?.done === false && last.id === '' ? state.steps - 1 : state.steps);
      }
    }),
  ];
  attempt(loadSettings);
  attempt(loadComputers);
  attempt(begin);
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Runs are asked for together with the status, and taken over first: the rows of the run that opens are then on their way
 * while the frame around them is drawn.
 */
async function begin(): Promise<void> {
  // Refused where no workspace is open, which the status tells; where one is, they are asked for again.
  const early = askRuns().catch(() => null);
  const status = await call('workspace.status');
  const take = status.folder === null ? null : await early;
  take?.();
  setWorkspace(status);
  if (status.folder !== null && take === null) await loadRuns();
  // Asked for last: nobody waits for it, and it looks at the disk.
  if (status.folder === null) return;
  attempt(loadJobs);
  attempt(beginBatches);
}

/** Whoever reads a step blind is known by name: what was read under another name is read again before it shows. */
function forgetOpinions(): void {
  if (useTimeline.getState().run === null) return;
  useDetails.setState({ details: new Map() });
  forgetAnswers();
  clearSearch();
  openCurrent();
}

function openCurrent(): void {
  const { current, list } = useRuns.getState();
  const run = list.find((other) => other.id === current);
  openTimeline(current, run?.seq ?? 0, run?.steps ?? 0);
  setFilter({});
  openGrouping(run?.task.id ?? null);
  useHints.setState({ hints: null });
  if (current !== null) afterFirstRows(current, () => loadHints(current));
}

/** The first list of a session tells that the workspace has been opened: then its status is read as well. */
function listChanged(): void {
  attempt(async () => {
    if (useWorkspace.getState().status?.folder == null) await loadWorkspace();
    if (useWorkspace.getState().status?.folder != null) refreshRuns();
  });
}

/** A summary that is ahead of the timeline tells of an event that was not heard. */
function catchUp(): void {
  const { current, list } = useRuns.getState();
  const run = list.find((other) => other.id === current);
  const timeline = useTimeline.getState();
  if (run !== undefined && timeline.run === run.id) timeline.heads.advance(run.seq, run.steps);
}

/** What the application menu calls its items, and which command of the window each is. */
const menuCommands: Readonly<Record<string, CommandId>> = {
  'run.new': 'app.newRun',
  'computers.open': 'app.computers',
  'settings.open': 'app.settings',
  'shortcuts.open': 'app.shortcuts',
  'about.open': 'app.about',
};

function runMenuCommand(name: string): void {
  const command = menuCommands[name];
  if (command !== undefined) runCommand(command);
  else if (name === 'workspace.choose') attempt(chooseWorkspace);
  else if (name === 'diagnostics.save') attempt(saveDiagnostics);
}

async function saveDiagnostics(): Promise<void> {
  const { path } = await call('app.saveDiagnostics');
  if (path !== null) toast((text) => text.frame.diagnosticsSaved(path));
}
