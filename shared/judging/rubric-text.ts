/** Most bytes of a rubric, in UTF-8. The application's own has 6 KB; a file of this size is one of another kind. */
export const MOST_RUBRIC_BYTES = 64 * 1024;

/** A rubric for steps that a person keeps for a task, before the guideline is filled in. */
export interface StoredRubric {
  task: string;
  text: string;
  /** When it was kept, ms since 1970. */
  at: number;
  author: string;
}
