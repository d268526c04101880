import type { StepHead } from '@shared/contract/views';
import { emptyHead } from '@shared/runs/empty-head';

/** A decided-by-nobody, finished step for tests; what a test is about is given. */
export function stepHead(step: number, change: Partial<StepHead> = {}): StepHead {
  return {
    ...emptyHead('01ARZ3NDEKTSV4RRFFQ69G5FAV', step),
    id: `id-${step}`,
    tool: 'run_command',
    title: 'ls',
    observation: 'ok',
    done: true,
    exitCode: 0,
    bytes: 2,
    computer: 'local',
    ...change,
  };
}
