import type {
  ComputerRow,
  HostReport,
  LinkHealth,
  StageView,
  TransportKind,
} from '@shared/contract/computers';
import type { Failure } from '@shared/contract/errors';
import { create } from 'zustand';
import { call, failureOf, listen } from '../api';
import { useSettings } from './settings';
import { attempt } from './toasts';

/** What the dialog of computers shows. */
export type ComputersPlace =
  | { page: 'host'; alias: string }
  /** `alias`: what is to be added; empty while the person still chooses. */
  | { page: 'add'; alias: string };

/** A test of this window's life; the report of the last one ever is in its row. */
export interface HostTest {
  running: boolean;
  stages: StageView[];
  report: HostReport | null;
  /** Why there is no report; null while it runs and when it was cancelled. */
  failure: Failure | null;
}

interface ComputersState {
  /** Computers the person added, in the order of the settings. */
  rows: ComputerRow[];
  /** False until the first answer: nothing is claimed to be empty before that. */
  loaded: boolean;
  /** Newest health by alias, also of hosts that are not in the list. */
  health: Readonly<Record<string, LinkHealth>>;
  tests: Readonly<Record<string, HostTest>>;
  /** Null while the dialog is closed. */
  place: ComputersPlace | null;
}

export const useComputers = create<ComputersState>()(() => ({
  rows: [],
  loaded: false,
  health: {},
  tests: {},
  place: null,
}));

let listTurn = 0;
/** Reads the list with its health; an answer that a newer one has overtaken is dropped. */
export async function loadComputers(): Promise<void> {
  listTurn += 1;
  const mine = listTurn;
  const [rows, health] = await Promise.all([call('computers.list'), call('computers.health')]);
  if (mine !== listTurn) return;
  useComputers.setState((state) => ({
    rows,
    loaded: true,
    health: { ...state.health, ...byAlias(rows.map((row) => row.health)), ...byAlias(health) },
  }));
}

/** Keeps list, health and stages true; the returned function ends it. */
export function startComputers(): () => void {
  const online = () => attempt(() => call('computers.networkChanged'));
  window.addEventListener('online', online);
  const stops = [
    listen('computers.changed', ({ health }) =>
      useComputers.setState((state) => ({ health: { ...state.health, ...byAlias(health) } })),
    ),
    listen('computer.stage', ({ alias, stages }) => {
      if (useComputers.getState().tests[alias]?.running === true) putTest(alias, { stages });
    }),
    // Another window or the command line may have changed the list.
    useSettings.subscribe((state, before) => {
      if (state.settings?.computers !== before.settings?.computers) attempt(loadComputers);
    }),
    () => window.removeEventListener('online', online),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Opens the dialog on a host; one that is not in the list is offered to be added; without alias the first one. */
export function openComputers(alias?: string): void {
  const { rows } = useComputers.getState();
  const chosen = alias ?? rows[0]?.alias ?? '';
  const page = rows.some((row) => row.alias === chosen) ? 'host' : 'add';
  useComputers.setState({ place: { page, alias: chosen } });
}

export function addComputerPage(): void {
  useComputers.setState({ place: { page: 'add', alias: '' } });
}

/** Closes the dialog; tests under way are cancelled, which withdraws their questions. */
export function closeComputers(): void {
  const { tests } = useComputers.getState();
  for (const [alias, test] of Object.entries(tests)) if (test.running) cancelTest(alias);
  useComputers.setState({ place: null });
}

/** Tests a host; stages arrive while it runs. A newer test of the same host takes its place. */
export async function testComputer(alias: string, transport: TransportKind): Promise<void> {
  const mine: HostTest = { running: true, stages: [], report: null, failure: null };
  useComputers.setState((state) => ({ tests: { ...state.tests, [alias]: mine } }));
  runs.set(alias, mine);
  try {
    const report = await call('computers.test', { alias, transport });
    if (runs.get(alias) !== mine) return;
    putTest(alias, { running: false, report, stages: report.stages });
    await loadComputers();
  } catch (thrown) {
    if (runs.get(alias) !== mine) return;
    const failure = failureOf(thrown);
    putTest(alias, { running: false, failure: failure.code === 'cancelled' ? null : failure });
  }
}
/** Which call each host's test belongs to. */
const runs = new Map<string, HostTest>();

export function cancelTest(alias: string): void {
  attempt(() => call('computers.cancelTest', { alias }));
}

/** Forgets a host's test, so that its page begins anew. */
export function dropTest(alias: string): void {
  runs.delete(alias);
  useComputers.setState((state) => ({
    tests: Object.fromEntries(Object.entries(state.tests).filter(([other]) => other !== alias)),
  }));
}

/** Adds the host and shows its page. @throws CallError already_exists */
export async function addComputer(alias: string, transport: TransportKind): Promise<void> {
  await call('computers.add', { alias, transport });
  await loadComputers();
  useComputers.setState((state) => ({ place: state.place === null ? null : { page: 'host', alias } }));
}

/** @throws CallError refused while a run is driven on it */
export async function removeComputer(alias: string): Promise<void> {
  await call('computers.remove', { alias });
  dropTest(alias);
  await loadComputers();
  const { place } = useComputers.getState();
  if (place?.alias === alias) openComputers();
}

/** @throws CallError refused while a run is driven on it */
export async function setTransport(alias: string, transport: TransportKind): Promise<void> {
  await call('computers.setTransport', { alias, transport });
  await loadComputers();
}

function putTest(alias: string, change: Partial<HostTest>): void {
  useComputers.setState((state) => {
    const test = state.tests[alias];
    return test === undefined ? state : { tests: { ...state.tests, [alias]: { ...test, ...change } } };
  });
}

function byAlias(list: readonly LinkHealth[]): Record<string, LinkHealth> {
  return Object.fromEntries(list.map((health) => [health.alias, health]));
}
