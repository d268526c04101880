import type { GivenUp, ScanHit } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import { create } from 'zustand';
import { CallError, call } from '../../api';
import { toastFailure } from '../../state/toasts';

interface ScanState {
  /** Null while nothing is looked through. */
  scan: number | null;
  /** What was found so far, in order; what is beyond the first thousands is counted only. */
  hits: readonly ScanHit[];
  steps: number;
  lines: number;
  scanned: number;
  all: number;
  scannedBytes: number;
  allBytes: number;
  /** It has come to its end, or was given up or stopped. */
  done: boolean;
  stopped: boolean;
  givenUp: GivenUp | null;
}

const nothing: ScanState = {
  scan: null,
  hits: [],
  steps: 0,
  lines: 0,
  scanned: 0,
  all: 0,
  scannedBytes: 0,
  allBytes: 0,
  done: true,
  stopped: false,
  givenUp: null,
};

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
