import type { PlanOptions, RunPlan } from './run-plan';

/** What was planned of each run, so that a killed export does not read its events again to decide. */
export interface PlanStore {
  /** Null: it is to be planned. */
  get(run: string, seq: number, options: PlanOptions): Promise<RunPlan | null>;
  keep(plan: RunPlan): Promise<void>;
}
