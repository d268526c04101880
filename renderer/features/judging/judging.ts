import type { RunSummary } from '@shared/contract/views';
import type { JudgedSteps } from '@shared/judging/batch';
import { create } from 'zustand';
import type { MenuItem } from '../../components/Menu';
import { useRuns } from '../../state/run/runs';
import { openDialog } from '../../state/view';
import type { Text } from '../../text/en';

/** Of which runs steps are judged: the open one, all, or those that are ticked. */
export type JudgedScope = 'this' | 'all' | 'some';

interface JudgingState {
  /** Runs the dialog was opened for; empty: the open one. */
  runs: readonly string[];
  /** The steps it begins with. */
  steps: JudgedSteps;
}

export const useJudging = create<JudgingState>()(() => ({ runs: [], steps: 'all' }));

/** Opens the dialog for these runs; without any for the open one. */
export function openJudge(runs: readonly string[] = [], steps: JudgedSteps = 'all'): void {
  useJudging.setState({ runs, steps });
  openDialog('judge');
}

/** What the dialog begins with. */
export function firstChoice(
  given: readonly string[],
  current: string | null,
): { scope: JudgedScope; chosen: readonly string[] } {
  const isOpen = given.every((run) => run === current);
  if (current !== null && isOpen) return { scope: 'this', chosen: [] };
  return given.length > 0 ? { scope: 'some', chosen: given } : { scope: 'all', chosen: [] };
}

/** The runs that are meant, in the order of the list. */
export function chosenRuns(
  scope: JudgedScope,
  chosen: readonly string[],
  list: readonly RunSummary[] = useRuns.getState().list,
  current: string | null = useRuns.getState().current,
): string[] {
  if (scope === 'this') return current === null ? [] : [current];
  const ticked = new Set(chosen);
  return list.filter(({ id }) => scope === 'all' || ticked.has(id)).map(({ id }) => id);
}

/** Money, also where it is less than what is usually counted. */
export function costWords(cost: number, text: Text): string {
  const { money } = text.common.format;
  return cost > 0 && cost < 0.01 ? text.judging.lessThan(money(0.01)) : money(cost);
}

/** What the run's menu offers. */
export function judgeItem(run: string, text: Text): MenuItem {
  return {
    id: 'judge',
    label: text.judging.item,
    text: text.judging.itemText,
    icon: 'score',
    line: true,
    run: () => openJudge([run]),
  };
}
