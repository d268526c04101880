import type { KeptRubric, RubricView } from '@shared/contract/rubric-views';
import type { RubricKind } from '@shared/judging/rubric-text';
import { type RubricTrial, rubricTrial, type StepOnTrial } from '@shared/judging/rubric-trial';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { JudgeVerdict } from '@shared/labels/labels';
import { isUnparsable, peopleSay } from '@shared/labels/step-truth';
import type { Author } from '@shared/log/annotations';
import { allAnnotations } from '../dataset/event-pages';
import { stepOwners, unlessRemoved } from '../review/step-owners';
import type { Store } from '../store/api';
import { builtInRubric, checkedRubric, type Rubrics, rubricsFor, rubricsWith, stepsVersion } from './rubric';

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

/** What holds for the steps or summaries of a task's runs. @throws WaymarkError workspace_corrupt */
export async function readRubricView(
  { reader }: KeptStore,
  resourcesDir: string,
  task: string,
  kind: RubricKind = 'steps',
): Promise<RubricView> {
  const kept = await reader.rubric(task, kind);
  const [builtIn, rubrics] = await Promise.all([
    builtInRubric(resourcesDir, kind),
    rubricsWith(resourcesDir, null, kept === null ? [] : [kept]),
  ]);
  const { version } = rubricsFor(rubrics, task)[kind];
  return { task, kind, builtIn, kept, version, builtInVersion: rubrics[kind].version };
}

export interface KeepRequest {
  task: string;
  /** Default: steps. */
  kind?: RubricKind | undefined;
  /** Null goes back to the application's own. */
  text: string | null;
  /** The text that was seen kept; null: none; absent: whatever is kept. */
  before?: string | null | undefined;
}

/**
 * Keeps a rubric for a task. Where judges have tried it on steps of the task's runs, their verdicts become votes: they were paid
 * for, and are what the text says. @throws WaymarkError bad_input, conflict, read_only
 */
export async function keepRubric(
  store: Pick<Store, 'reader' | 'writer'>,
  resourcesDir: string,
  { task, kind = 'steps', text, before }: KeepRequest,
  author: Author,
): Promise<KeptRubric> {
  const kept = text === null ? null : checkedRubric(text, { mode: kind });
  await store.writer.keepRubric({ task, kind, text: kept, author: author.name }, before);
  const view = await readRubricView(store, resourcesDir, task, kind);
  return { ...view, adopted: kind === 'steps' ? await adoptTrials(store, task, view.version) : 0 };
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
  for (const { task, kind, text, at } of await store.reader.rubricsOf([...new Set(tasks)])) {
    const isTried = kind === 'steps' && stepsVersion(text) === rubric;
    if (isTried && at >= begunAt) await adoptTrials(store, task, rubric);
  }
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
