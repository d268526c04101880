import type { KeptRubric, RubricView } from '@shared/contract/rubric-views';
import { type RubricTrial, rubricTrial, type StepOnTrial } from '@shared/judging/rubric-trial';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { JudgeVerdict } from '@shared/labels/labels';
import { isUnparsable, peopleSay } from '@shared/labels/step-truth';
import type { Author } from '@shared/log/annotations';
import { allAnnotations } from '../dataset/event-pages';
import { stepOwners, unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import { builtInRubric, checkedRubric, type Rubrics, rubricsWith, stepsVersion } from './rubric';

type KeptStore = Pick<Store, 'reader'>;

/** What runs are judged by: what is kept for their tasks (else the application's own), the application's own, or this text. */
export type RubricChoice = 'task' | 'built-in' | { text: string };

/** @throws WaymarkError bad_input, workspace_corrupt */
export async function chosenRubrics(
  { reader }: KeptStore,
  resourcesDir: string,
  runs: readonly string[],
  choice: RubricChoice,
): Promise<Rubrics> {
  if (typeof choice === 'object') return rubricsWith(resourcesDir, checkedRubric(choice.text));
  if (choice === 'built-in') return rubricsWith(resourcesDir, null);
  const asked = new Set(runs);
  const tasks = (await reader.runs()).flatMap(({ id, task }) => (asked.has(id) ? [task.id] : []));
  return rubricsWith(resourcesDir, null, await reader.rubricsOf([...new Set(tasks)]));
}

/** What holds for a task. @throws WaymarkError workspace_corrupt */
export async function readRubricView(
  { reader }: KeptStore,
  resourcesDir: string,
  task: string,
): Promise<RubricView> {
  const kept = await reader.rubric(task);
  const [builtIn, standing, own] = await Promise.all([
    builtInRubric(resourcesDir),
    rubricsWith(resourcesDir, kept?.text ?? null),
    rubricsWith(resourcesDir, null),
  ]);
  return { task, builtIn, kept, version: standing.steps.version, builtInVersion: own.steps.version };
}

export interface KeepRequest {
  task: string;
  /** Null goes back to the application's own. */
  text: string | null;
  /** The text that was seen kept; null: none; absent: whatever is kept. */
  before?: string | null | undefined;
}

/**
 * Keeps a rubric for a task. Where judges have tried it on runs of the task, their verdicts become votes: they were paid for, and
 * are what the text says. @throws WaymarkError bad_input, conflict, read_only
 */
export async function keepRubric(
  store: Pick<Store, 'reader' | 'writer'>,
  resourcesDir: string,
  { task, text, before }: KeepRequest,
  author: Author,
): Promise<KeptRubric> {
  const kept = text === null ? null : checkedRubric(text);
  await store.writer.keepRubric(task, kept, author.name, before);
  const view = await readRubricView(store, resourcesDir, task);
  return { ...view, adopted: await adoptTrials(store, task, view.version) };
}

/**
 * Makes votes of what a trial was told after its text had been kept meanwhile, perhaps by another process, for tasks of its runs:
 * whoever keeps a text finds what had come until then, and whoever ends a trial the rest. `begunAt`: of the trial, ms since 1970.
 */
export async function adoptEnded(
  store: Pick<Store, 'reader' | 'writer'>,
  { runs, rubric, begunAt }: { runs: readonly string[]; rubric: string; begunAt: number },
): Promise<void> {
  const asked = new Set(runs);
  const tasks = (await store.reader.runs()).flatMap(({ id, task }) => (asked.has(id) ? [task.id] : []));
  for (const { task, text, at } of await store.reader.rubricsOf([...new Set(tasks)]))
    if (at >= begunAt && stepsVersion(text) === rubric) await adoptTrials(store, task, rubric);
}

async function adoptTrials(
  { reader, writer }: Pick<Store, 'reader' | 'writer'>,
  task: string,
  rubric: string,
): Promise<number> {
  let adopted = 0;
  for (const run of await reader.runs()) {
    if (run.task.id !== task) continue;
    for (const judge of await reader.triers(run.id, rubric))
      adopted += (await unlessRemoved(writer.adoptTrial(run.id, { judge, rubric }))) ?? 0;
  }
  return adopted;
}

/**
 * What a judge's verdicts by the rubric with this version change in a run, against its votes that stand and against people.
 * @throws WaymarkError not_found
 */
export async function readTrial(
  { reader }: KeptStore,
  run: string,
  judge: string,
  rubric: string,
): Promise<RubricTrial> {
  const steps: StepOnTrial[] = [];
  for (const { run: owner, from, to, gone } of await stepOwners(reader, run)) {
    if (gone || to < from) continue;
    const tried = await unlessRemoved(reader.triedSteps(owner, { judge, rubric }));
    const asked = (tried ?? []).filter(({ step }) => from <= step && step <= to);
    if (asked.length === 0) continue;
    const fold = foldAnnotations(await allAnnotations(reader, owner), [{ from, to }]);
    for (const { step, op } of asked) {
      const { judges, humans } = fold.at(step);
      const stands = standing(judges.filter((each) => each.judge === judge));
      steps.push({ step, op, stands, people: peopleSay(humans) });
    }
  }
  return rubricTrial({ run, judge, after: rubric }, steps);
}

/** The one vote that can be compared. */
function standing(votes: readonly JudgeVerdict[]): JudgeVerdict | null {
  const [vote, ...others] = votes.filter((each) => !isUnparsable(each));
  return vote === undefined || others.some(({ value }) => value !== vote.value) ? null : vote;
}
