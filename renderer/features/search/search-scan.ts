import type { ScanHit, ScanNews } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import { create } from 'zustand';
import { CallError, call } from '../../api';
import { toastFailure } from '../../state/toasts';

/** Of all its news. Of hits, what is beyond the first thousands is counted only. */
interface ScanState extends Omit<ScanNews, 'hits'> {
  /** Null while nothing is looked through. */
  scan: number | null;
  /** What was found so far, in order. */
  hits: readonly ScanHit[];
  stopped: boolean;
}

/** Of a scan that has looked through nothing and found nothing. */
export const noNews: ScanNews = {
  hits: [],
  steps: 0,
  lines: 0,
  scanned: 0,
  all: 0,
  scannedBytes: 0,
  allBytes: 0,
  done: true,
  givenUp: null,
};

const nothing: ScanState = { ...noNews, scan: null, stopped: false };

/** The search through texts that no index answers: patterns in steps, anything in terminals. */
export const useScan = create<ScanState>()(() => nothing);

let turn = 0;

/** Looks through a run (null: all of them); the newest scan wins. */
export async function startScan(run: string | null, query: string, filter: StepQuery): Promise<void> {
  turn += 1;
  const mine = turn;
  useScan.setState({ ...nothing, done: false });
  const { scan } = await call('search.scan', { run, query, filter });
  if (turn !== mine) return;
  if (scan === null) {
    useScan.setState(nothing);
    return;
  }
  useScan.setState({ scan });
  try {
    await follow(scan, mine);
  } catch (thrown) {
    // A newer scan, perhaps of another window, has ended this one.
    if (turn === mine) useScan.setState({ done: true, stopped: true });
    if (!(thrown instanceof CallError && thrown.failure.code === 'cancelled')) toastFailure(thrown);
  }
}

async function follow(scan: number, mine: number): Promise<void> {
  for (;;) {
    const { hits } = useScan.getState();
    const news = await call('search.news', { scan, after: hits.length });
    if (turn !== mine) return;
    const ended = news.done && news.hits.length === 0;
    useScan.setState({ ...news, hits: news.hits.length === 0 ? hits : [...hits, ...news.hits], done: ended });
    if (ended) return;
  }
}

/** Ends the scan; what it found stays. */
export function stopScan(): void {
  turn += 1;
  const { scan, done } = useScan.getState();
  if (scan === null || done) return;
  useScan.setState({ done: true, stopped: true });
  call('search.stop', { scan }).catch((thrown: unknown) => toastFailure(thrown));
}

/** Ends the scan and forgets what it found. */
export function forgetScan(): void {
  stopScan();
  useScan.setState(nothing);
}
