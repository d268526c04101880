/** One change of a file's content by an action, and what the agent had seen of the file when it decided on it. */
export interface FileEdit {
  step: number;
  path: string;
  action: string;
  /** The file was there before; writing a new one cannot be blind. */
  existed: boolean;
  /**
   * Latest step that showed the content as it was before this step's changes, or in which the agent wrote it itself; null =
   * none. What the same step shows came too late.
   */
  lookedAt: number | null;
  /** Latest step that showed any content of the file, also one that has changed since; null = none. */
  seenAt: number | null;
  /** Steps that may have shown it are not in the log: a branch began with a summary of them, and it has not changed since. */
  untold: boolean;
  /** Step of the last change before this step, by whomever; null = none in this run. */
  changedAt: number | null;
  /** Step of the last edit by an action of the agent; null = none. */
  editedAt: number | null;
}

/** A blind edit as rule and notice mean it: the file was there, and nothing of it was seen since its last change. */
export function isBlind(edit: FileEdit): boolean {
  return edit.existed && edit.lookedAt === null && !edit.untold;
}

/** A second edit in a row: the answer before, or this one, has edited the file already. */
export function isSecondEdit({ existed, editedAt, step }: FileEdit): boolean {
  return existed && editedAt !== null && editedAt >= step - 1;
}
