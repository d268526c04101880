import type { RubricView } from '@shared/contract/rubric-views';
import type { RunSummary } from '@shared/contract/views';
import { MOST_RUBRIC_BYTES, type RubricKind } from '@shared/judging/rubric-text';
import { create } from 'zustand';
import type { MenuItem } from '../../components/Menu';
import { useRuns } from '../../state/run/runs';
import { openDialog } from '../../state/view';
import type { Text } from '../../text/en';

/** A text that a person has changed and not saved. */
export interface RubricDraft {
  text: string;
  /** What was kept when they began; null: the built-in text held. */
  before: string | null;
}

interface RubricState {
  /** Whose rubric is edited, and which of its two. */
  task: string | null;
  kind: RubricKind;
  /** The run it is tried on. */
  run: string | null;
  /** By `draftKey`; they outlive the dialog, which a jump to a step closes. */
  drafts: Readonly<Record<string, RubricDraft>>;
  /** As it is tried; an empty name is the endpoint's. */
  judge: { endpoint: string; name: string; limit: string };
}

export const useRubric = create<RubricState>()(() => ({
  task: null,
  kind: 'steps',
  run: null,
  drafts: {},
  judge: { endpoint: '', name: '', limit: '' },
}));

/** Opens the editor for a task; without one for that of the open run. */
export function openRubric(task?: string, run?: string): void {
  const { list, current } = useRuns.getState();
  const open = list.find(({ id }) => id === (run ?? current));
  const before = useRubric.getState();
  const next = task ?? open?.task.id ?? null;
  const isOfTask = (id: string | null) => list.some((each) => each.id === id && each.task.id === next);
  // The run that it was tried on last stays, unless another one is asked for.
  const tried = run === undefined && before.task === next && isOfTask(before.run) ? before.run : null;
  useRubric.setState({ task: next, kind: 'steps', run: tried ?? open?.id ?? null });
  openDialog('rubric');
}

export const draftKey = ({ task, kind }: Pick<RubricView, 'task' | 'kind'>): string => `${kind} ${task}`;

/** Null: there is nothing to save any more. */
export function setDraft(view: Pick<RubricView, 'task' | 'kind'>, draft: RubricDraft | null): void {
  const key = draftKey(view);
  const { [key]: _, ...others } = useRubric.getState().drafts;
  useRubric.setState({ drafts: draft === null ? others : { ...others, [key]: draft } });
}

/** The text that holds for the task. */
export const standingText = ({ kept, builtIn }: RubricView): string => kept?.text ?? builtIn;

/** The draft with this text; null: it is the one that holds, so that nothing is changed. */
export function draftWith(view: RubricView, text: string, before?: RubricDraft): RubricDraft | null {
  if (text === standingText(view)) return null;
  return { text, before: before === undefined ? (view.kept?.text ?? null) : before.before };
}

/** Somebody has kept another text since the draft was begun. */
export const isOvertaken = ({ kept }: RubricView, draft: RubricDraft): boolean =>
  draft.before !== (kept?.text ?? null);

/** What is stored for this text: the built-in one is what holds where nothing is kept. */
export const keptAs = ({ builtIn }: RubricView, text: string): string | null =>
  text.trim() === builtIn.trim() ? null : text;

/** Why a text cannot be a rubric; null: it can. */
export function problemOf(text: string): 'empty' | 'long' | null {
  if (text.trim() === '') return 'empty';
  return new TextEncoder().encode(text).byteLength > MOST_RUBRIC_BYTES ? 'long' : null;
}

/** What the run's menu offers. */
export function rubricItem({ id, task }: Pick<RunSummary, 'id' | 'task'>, text: Text): MenuItem {
  return {
    id: 'rubric',
    label: text.rubric.item,
    text: text.rubric.itemText,
    icon: 'book',
    run: () => openRubric(task.id, id),
  };
}
