import { taskSpecSchema } from '@shared/contract/task';
import type { RunRecord, RunSummary } from '@shared/contract/views';
import type { EventBody } from '@shared/log/events';
import { runStatus } from '@shared/runs/run-status';
import { type BranchHints, branchHints } from '../branches/branch-hints';
import { recordOf } from '../runs/run-record';
import { creationOf } from '../runs/steer/change-run';
import { type PendingAsk, pendingChanges } from '../runs/steer/pending-changes';
import { approvalLines } from './approval-words';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';
import { budgetLine, budgetsOf, hours, statusLine } from './status-words';

/** What a task gives at most unless it says otherwise. */
const ALL_POINTS = 100;

/** Where a branch comes from, and the hints it took over, left out and began with. */
export function branchHintLines({ parent, inherited, dropped, added }: BranchHints): string[] {
  const rows = (word: string, hints: BranchHints['added'], where: (step: number) => string) =>
    hints.map(({ text, step }) => [word, where(step), text ?? 'its text was removed with its run']);
  const after = (step: number) => (step === 0 ? 'with the task' : `after step ${step}`);
  return [
    `A branch of run ${parent.run} after step ${parent.step}.`,
    ...table([
      ...rows('inherited', inherited, after),
      ...rows('dropped', dropped, after),
      ...rows('added', added, after),
    ]),
  ];
}

/** `run show RUN`: what is known of a run, and what was found to run on this machine where nobody drives it. */
export async function showRun(context: CliContext, run: string): Promise<CommandResult> {
  const { reader } = context;
  const [summary, hints, created, pending, branch, approvals] = await Promise.all([
    reader.run(run),
    reader.hints(run),
    creationOf(context.store, run),
    pendingChanges(reader, run),
    branchHints(reader, run),
    reader.openApprovals(run),
  ]);
  const asked = summary.state === 'undriven' || summary.state === 'paused';
  const running = asked ? await context.engine.running(run) : undefined;
  const known = await isCostKnown(context, summary);
  const recorded = recordOf(created);
  const most = taskSpecSchema.safeParse(created.spec).data?.evaluation.max_score ?? ALL_POINTS;
  const { best, final, tries, finalUnavailable } = summary.scores;
  const status = runStatus(summary);
  const budgets = budgetsOf(summary);
  return {
    json: {
      id: run,
      status: status.word,
      until: status.until,
      runningOn: running ?? summary.runningOn,
      reason: status.word === 'undriven' ? null : summary.reason,
      steps: summary.steps,
      taken: summary.taken,
      segments: summary.segments,
      checkpoints: summary.checkpoints,
      parent: summary.parent,
      events: summary.events,
      approvals,
      hints: hints.hints.map(({ id, text, state, step }) => ({ id, text, state, step })),
      ...(branch === null ? {} : { branch }),
      scores: { best, final, tries, max: most, ...(finalUnavailable === true ? { finalUnavailable } : {}) },
      evaluatorIsolated: summary.evaluatorIsolated,
      protectedChanged: summary.protectedChanged ?? null,
      model: { endpoint: summary.endpoint, model: summary.model },
      budgets: {
        ...budgets,
        cost: { ...budgets.cost, used: known ? budgets.cost.used : null },
        ...(summary.maxTrainingMs === undefined ? {} : { trainingMs: { limit: summary.maxTrainingMs } }),
      },
      pending,
      recorded,
      computers: summary.computers,
    },
    lines: [
      `${summary.title} (${run})`,
      `Status   ${statusLine(summary, running, approvals)}`,
      `On       ${summary.computers.map(computerWords).join(', ')}`,
      ...beginnings(created),
      `Model    ${summary.model === summary.endpoint ? summary.model : `${summary.model} at ${summary.endpoint}`}`,
      `Steps    ${summary.steps}, events ${summary.events}`,
      `Budgets  ${budgetLine(summary, known)}`,
      ...pending.map((change) => `Asked    ${pendingWords(change)}`),
      `Scores   best ${points(best)}, final ${finalUnavailable === true ? 'unavailable: what the run left could not be evaluated' : points(final)}${most === ALL_POINTS ? '' : ` of at most ${most}`}, ${tries} of ${summary.scores.maxTries} evaluations${summary.evaluatorIsolated ? '' : ' (evaluator not isolated)'}`,
      ...protectedLines(summary),
      `Labels   train ${summary.labels.train}, mask ${summary.labels.mask}, undecided ${summary.labels.undecided}`,
      `Recorded ${recordedWords(recorded)}`,
      ...(branch === null ? [] : branchHintLines(branch)),
      ...hints.hints.map(
        (each) =>
          `Hint ${each.number}   ${each.state}${each.step === null ? '' : ` after step ${each.step}`}: ${each.text}`,
      ),
      ...approvals.flatMap(approvalLines),
    ],
  };
}

/** As `stats` says it: known once an answer had a price. Where something was paid nobody needs to look. */
async function isCostKnown({ reader }: CliContext, { id, cost, taken }: RunSummary): Promise<boolean> {
  if (cost > 0 || taken === 0) return cost > 0;
  return (await reader.stats(id)).points.at(-1)?.cost != null;
}

/** What was judged was not what the task gave: said beside the scores. */
export function protectedLines({ protectedChanged }: Pick<RunSummary, 'protectedChanged'>): string[] {
  if (protectedChanged === undefined) return [];
  const { evaluations, paths } = protectedChanged;
  return [`Changed  protected files, found by ${counted(evaluations, 'evaluation')}: ${paths.join(', ')}`];
}

function points(score: number | null): string {
  return score === null ? '–' : String(Math.round(score * 100) / 100);
}

function recordedWords({ taskHint, humanHints, ...named }: RunRecord): string {
  return [
    `task hint ${taskHint}`,
    `human hints ${humanHints ? 'on' : 'off'}`,
    ...Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
  ].join(', ');
}

/** What each session of a computer begins with, a line for each computer that has such commands. */
function beginnings(created: EventBody<'run.created'>): string[] {
  const spec = taskSpecSchema.safeParse(created.spec).data;
  return (spec?.computers ?? []).flatMap(({ name, setup }) =>
    setup.each_session.length === 0
      ? []
      : [`Sessions on ${name} begin with: ${setup.each_session.join('; ')}`],
  );
}

function pendingWords({ by, model, limits = {} }: PendingAsk): string {
  const { maxSteps, maxWorkingMs, maxEvals, maxTrainingMs, maxTokens, maxCost } = limits;
  const what = [
    ...(model === undefined ? [] : [`model ${model.model} at ${model.endpoint}`]),
    ...(maxSteps === undefined ? [] : [counted(maxSteps, 'step')]),
    ...(maxWorkingMs === undefined ? [] : [`${hours(maxWorkingMs)} of working time`]),
    ...(maxEvals === undefined ? [] : [counted(maxEvals, 'evaluation')]),
    ...(maxTrainingMs === undefined
      ? []
      : [maxTrainingMs === null ? 'no limit on one training' : `${hours(maxTrainingMs)} for one training`]),
    ...(maxTokens === undefined ? [] : [`${maxTokens ?? 'no limit on'} tokens`]),
    ...(maxCost === undefined ? [] : [maxCost === null ? 'no limit on cost' : `a cost of ${maxCost}`]),
  ];
  return `${what.join(', ')}, by ${by}; from the next step on`;
}

function computerWords(computer: RunSummary['computers'][number]): string {
  const { name, kind, host = name, isolation, network, folders = [] } = computer;
  if (kind === 'local') {
    const shown = folders.map(({ path, write }) => `${path}${write ? '' : ' (read-only)'}`);
    const apart = [
      isolation === undefined ? 'not isolated' : `isolated by ${isolation}`,
      ...(network === 'none' ? ['no network'] : []),
      ...(shown.length === 0 ? [] : [`shown ${shown.join(' and ')}`]),
    ].join(', ');
    return name === 'local' ? `local, ${apart}` : `${name} (local, ${apart})`;
  }
  return host === name ? host : `${name} (${host})`;
}
