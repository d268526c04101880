/** Most bytes of a rubric, in UTF-8. The application's own has 6 KB; a file of this size is one of another kind. */
export const MOST_RUBRIC_BYTES = 64 * 1024;

/** What a judge of masks has a rubric for: steps, and the summaries that the agent writes. */
export const rubricKinds = ['steps', 'summaries'] as const;
export type RubricKind = (typeof rubricKinds)[number];

/** A rubric that a person keeps for a task, before the guideline is filled in. */
export interface StoredRubric {
  task: string;
  kind: RubricKind;
  text: string;
  /** When it was kept, ms since 1970. */
  at: number;
  author: string;
}
