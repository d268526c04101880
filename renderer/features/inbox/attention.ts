import type { PowerState } from '@shared/contract/ipc/application';
import type { RunSummary } from '@shared/contract/views';
import type {
  AttentionItem,
  AttentionKind,
  AttentionReport,
  RunAttention,
} from '@shared/runs/attention/attention';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { openRun, type RailGroup, railGroup, railOrder, useRuns } from '../../state/run/runs';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { attempt, toastFailure } from '../../state/toasts';
import { setMode, useView } from '../../state/view';
import { Looks, watchedRun } from './looks';

export type InboxTab = 'news' | 'report';
export type ReportRange = 'looked' | 'night' | 'day';

/** A time in which agents of runs stood still, told until the person dismisses it. */
export interface Standstill {
  ms: number;
  titles: string[];
}

interface InboxState {
  list: RunAttention[];
  /** The list is on the screen. */
  open: boolean;
  tab: InboxTab;
  range: ReportRange;
  report: AttentionReport | null;
  /** When the person last looked at any run, before this window was opened; null = never. */
  lookedAt: number | null | undefined;
  standstill: Standstill | null;
  power: PowerState | null;
  batteryDismissed: boolean;
}

/** What wants a person's eye, and the report of a time they did not look. */
export const useInbox = create<InboxState>()(() => ({
  list: [],
  open: false,
  tab: 'news',
  range: 'looked',
  report: null,
  lookedAt: undefined,
  standstill: null,
  power: null,
  batteryDismissed: false,
}));

const RELOAD_MS = 2_000;
/** GPUs go idle by time alone. */
const REGULAR_MS = 20_000;
/** While long runs are read for the first time the list is asked for in short turns. */
const BEHIND_MS = 100;
/** How long a run must be in view to count as seen, ms, and how old the last sign of a person may be. */
const DWELL_MS = 4_000;
const PRESENT_MS = 60_000;
const HOUR = 3_600_000;
/** Standstills of earlier days are told in the report. */
const STANDSTILL_AGE = 12 * HOUR;

let timer: ReturnType<typeof setTimeout> | null = null;
let timerAt = 0;

/** Reads the list again, soon; asks that come meanwhile are one. */
function refresh(ms = RELOAD_MS): void {
  const at = performance.now() + ms;
  if (timer !== null && timerAt <= at) return;
  if (timer !== null) clearTimeout(timer);
  timerAt = at;
  timer = setTimeout(() => {
    timer = null;
    loadInbox().catch((thrown: unknown) => toastFailure(thrown));
  }, ms);
}

const toldStandstills = new Set<string>();

export async function loadInbox(): Promise<void> {
  const list = await call('attention.list');
  useInbox.setState((state) => ({
    list,
    lookedAt: state.lookedAt === undefined ? latestLook(list) : state.lookedAt,
    standstill: standstillOf(list) ?? state.standstill,
  }));
  if (list.some(({ behind }) => behind > 0)) refresh(BEHIND_MS);
}

function latestLook(list: readonly RunAttention[]): number | null {
  const times = list.flatMap(({ seenAt }) => (seenAt === null ? [] : [seenAt]));
  return times.length === 0 ? null : Math.max(...times);
}

function standstillOf(list: readonly RunAttention[]): Standstill | null {
  const fresh = list.flatMap((run) =>
    run.items
      .filter(
        ({ kind, id, at }) =>
          kind === 'stood_still' && !toldStandstills.has(id) && at > Date.now() - STANDSTILL_AGE,
      )
      .map((item) => ({ title: run.title, item })),
  );
  if (fresh.length === 0) return null;
  for (const { item } of fresh) toldStandstills.add(item.id);
  const newest = Math.max(...fresh.map(({ item }) => item.at));
  // Runs of one machine stand still together; the longest is what the machine slept.
  const together = fresh.filter(({ item }) => newest - item.at < 60_000);
  return {
    ms: Math.max(...together.map(({ item }) => Number(item.facts.ms ?? 0))),
    titles: [...new Set(together.map(({ title }) => title))],
  };
}

/** Things that wait: what is urgent or a finding; what is only good to know does not count. */
export function inboxCount(list: readonly RunAttention[]): number {
  return list.reduce((sum, { items }) => sum + items.filter(({ urgency }) => urgency < 3).length, 0);
}

export function isUrgent(list: readonly RunAttention[]): boolean {
  return list.some(({ items }) => items.some(({ urgency }) => urgency === 1));
}

/** What the state of a run says already. */
const saidByState: ReadonlySet<AttentionKind> = new Set([
  'asks_you',
  'failed',
  'paused',
  'host_lost',
  'finished',
]);

/** What the rail says of a run besides its state: the most urgent item that is more than good to know. */
export function reasonOf(list: readonly RunAttention[], run: string): AttentionItem | undefined {
  const items = list.find((each) => each.run === run)?.items ?? [];
  return items.find(({ kind, urgency }) => urgency < 3 && !saidByState.has(kind));
}

/** Runs with something urgent that is still open. */
export function urgentRuns(list: readonly RunAttention[]): ReadonlySet<string> {
  const isUrgentNow = ({ urgency, open }: AttentionItem) => urgency === 1 && open;
  return new Set(list.filter(({ items }) => items.some(isUrgentNow)).map(({ run }) => run));
}

/** The rail's heading for a run; something urgent needs a person whatever the run's state. */
export function needGroup(run: RunSummary, urgent: ReadonlySet<string>): RailGroup {
  return urgent.has(run.id) ? 'needsYou' : railGroup(run);
}

/** Sorts runs of one heading by what they want, then as ever. */
export function needOrder(list: readonly RunAttention[]): (a: RunSummary, b: RunSummary) => number {
  const weight = new Map(list.map(({ run, items }) => [run, items[0]?.urgency ?? 4]));
  return (a, b) => (weight.get(a.id) ?? 4) - (weight.get(b.id) ?? 4) || railOrder(a, b);
}

export function toggleInbox(): void {
  const { open, tab, range } = useInbox.getState();
  useInbox.setState({ open: !open });
  if (open) return;
  refresh(0);
  // The report of the last time it was open tells nothing of what came since.
  if (tab === 'report') attempt(() => loadReport(range));
}

export function closeInbox(): void {
  useInbox.setState({ open: false });
}

/** Opens the run, and the step when there is one. */
export async function goTo(run: string, step: number | null): Promise<void> {
  await openRun(run);
  if (useView.getState().mode === 'export') setMode('review');
  if (step !== null && step > 0 && useTimeline.getState().run === run) moveCursor(step);
  closeInbox();
}

/** Begin and end of a report, ms since 1970, on the person's clock. */
export function reportSpan(
  range: ReportRange,
  now: number,
  lookedAt: number | null,
): { from: number; to: number } {
  if (range === 'day' || (range === 'looked' && lookedAt === null)) return { from: now - 24 * HOUR, to: now };
  if (range === 'looked') return { from: lookedAt ?? now, to: now };
  const evening = new Date(now);
  // Before eight in the evening the night is the one that ended today.
  if (evening.getHours() < 20) evening.setDate(evening.getDate() - 1);
  evening.setHours(20, 0, 0, 0);
  return { from: evening.getTime(), to: Math.min(now, evening.getTime() + 12 * HOUR) };
}

export async function loadReport(range: ReportRange): Promise<void> {
  useInbox.setState({ range, report: null });
  const report = await call(
    'attention.report',
    reportSpan(range, Date.now(), useInbox.getState().lookedAt ?? null),
  );
  if (useInbox.getState().range === range) useInbox.setState({ report });
}

export function dismissStandstill(): void {
  useInbox.setState({ standstill: null });
}

export function dismissBattery(): void {
  useInbox.setState({ batteryDismissed: true });
}

/** Connects the inbox to the main process; the returned function ends it. */
export function startInbox(): () => void {
  const stops = [
    listen('run.changed', () => refresh()),
    listen('run.listChanged', () => refresh()),
    listen('attention.changed', () => refresh(0)),
    listen('workspace.changed', () => {
      useInbox.setState({ list: [], report: null, lookedAt: undefined, standstill: null });
      refresh(0);
    }),
    listen('attention.open', ({ run, step }) => attempt(() => goTo(run, step))),
    listen('power.changed', (power) =>
      useInbox.setState((state) => ({ power, batteryDismissed: state.batteryDismissed && power.onBattery })),
    ),
    useRuns.subscribe((state, before) => {
      if (state.current !== before.current) attempt(() => call('attention.showing', { run: state.current }));
    }),
    startSeeing(),
  ];
  const regular = setInterval(() => {
    if (useRuns.getState().list.length > 0) refresh(0);
  }, REGULAR_MS);
  attempt(async () => useInbox.setState({ power: await call('app.power') }));
  attempt(() => call('attention.showing', { run: useRuns.getState().current }));
  return () => {
    clearInterval(regular);
    if (timer !== null) clearTimeout(timer);
    timer = null;
    for (const stop of stops) stop();
  };
}

/**
 * A run counts as seen up to its newest event when its newest step is in view for a moment, in a window that has the focus and
 * somebody in front of it.
 */
function startSeeing(): () => void {
  let presentAt = Number.NEGATIVE_INFINITY;
  let inView: { run: string; since: number } | null = null;
  const sent = new Map<string, number>();
  const looks = new Looks();
  const present = () => {
    presentAt = performance.now();
  };
  const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel'] as const;
  for (const sign of signs) window.addEventListener(sign, present, { passive: true, capture: true });
  const tick = () => {
    const now = performance.now();
    const isPresent = now - presentAt <= PRESENT_MS;
    looks.tick(isPresent ? watchedRun() : null, now);
    const seen = visibleRun();
    if (seen === null || !isPresent) {
      inView = null;
      return;
    }
    if (inView?.run !== seen.run) inView = { run: seen.run, since: now };
    if (now - inView.since < DWELL_MS || (sent.get(seen.run) ?? 0) >= seen.seq) return;
    sent.set(seen.run, seen.seq);
    attempt(async () => {
      await call('attention.seen', seen);
      refresh(0);
    });
  };
  const every = setInterval(tick, 1_000);
  return () => {
    clearInterval(every);
    looks.tick(null, performance.now());
    for (const sign of signs) window.removeEventListener(sign, present, { capture: true });
  };
}

/** The run whose newest step is in view, and its newest event. */
export function visibleRun(): { run: string; seq: number } | null {
  if (document.visibilityState !== 'visible' || !document.hasFocus()) return null;
  const { run, follow } = useTimeline.getState();
  if (run === null || !follow.following || useView.getState().mode === 'export') return null;
  const seq = useRuns.getState().list.find(({ id }) => id === run)?.seq;
  return seq === undefined ? null : { run, seq };
}
