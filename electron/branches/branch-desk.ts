import type { BranchPlan, Lineage } from '@shared/contract/checkpoint-views';
import { findBranch } from './branch-plan';
import { type BranchDeps, branchRun, type NewBranch } from './branch-run';
import { lineageOf } from './lineage';

/** Branches as people look at and make them. */
export class BranchDesk {
  constructor(private readonly deps: BranchDeps) {}

  /** What a branch after the step would hold. @throws WaymarkError not_found, refused */
  async plan(run: string, step: number): Promise<BranchPlan> {
    return (await findBranch(this.deps.options.store.reader, run, step)).plan;
  }

  /** As `branchRun`; returns the new run, which rests until it is resumed. */
  create(input: NewBranch): Promise<string> {
    return branchRun(this.deps, input);
  }

  lineage(run: string): Promise<Lineage> {
    return lineageOf(this.deps.options.store.reader, run);
  }
}
