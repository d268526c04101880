import type { RubricKind, StoredRubric } from '../judging/rubric-text';

/** The rubric that the steps or summaries of a task's runs are judged by. */
export interface RubricView {
  task: string;
  kind: RubricKind;
  /** The application's own text, before the guideline is filled in. */
  builtIn: string;
  /** What a person keeps in its place; null: nothing. */
  kept: StoredRubric | null;
  /** Version of the text that holds, as votes name it. */
  version: string;
  /** Of the application's own text. */
  builtInVersion: string;
}

export interface KeptRubric extends RubricView {
  /** Verdicts of trials by this text that count as votes from now on. */
  adopted: number;
}
