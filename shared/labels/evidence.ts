/**
 * What speaks for or against a step, gathered from the log around it. Nothing here is stored: it is read off the same
 * events as the rules use. What a bounded look back cannot tell is `unknown`, never a no.
 */
export interface StepEvidence {
  run: string;
  step: number;
  files: FileEvidence[];
  /** Files the step edited beyond those in `files`. */
  moreFiles: number;
  /** The first step that was looked through; 1 = nothing was left out. */
  since: number;
  score: { last: number | null; best: number | null };
  /** What was last known of each computer's GPUs. Empty = nothing was ever noted. */
  gpus: GpuEvidence[];
  /** Working time of the run up to the end of the step, ms; null = not known. */
  workingMs: number | null;
  /** What the next step came to; null = there is none yet, or it is not over. */
  next: { step: number; tool: string; ok: boolean; exitCode: number | null; errorCode: string | null } | null;
}

/** Whether the agent had seen a file that it edits (APOLLO §3.4: "blind file modifications"). */
export interface FileEvidence {
  computer: string;
  path: string;
  /**
   * `new`: it did not exist, so there was nothing to look at. `seen`: looked at since its last change.
   * `stale`: looked at, but changed since. `never`: not looked at since the run began. `unknown`: not within the
   * steps that were looked through.
   */
  sight: 'new' | 'seen' | 'stale' | 'never' | 'unknown';
  /** Latest step before this one that showed it; null = none was found. */
  lookedAt: number | null;
  /** Steps that changed it since that look, ascending; the newest 8. */
  changedBy: number[];
  changes: number;
}

export interface GpuEvidence {
  computer: string;
  state: 'idle' | 'busy' | 'unknown';
  /** Step at which it was noted. */
  step: number;
  gpus: { index: number; utilization: number; memoryUsedMb: number }[];
}
