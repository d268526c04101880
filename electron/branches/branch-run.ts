import type { BranchPlan, CheckpointView, Lineage } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import { type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody, NewEvent } from '@shared/log/events';
import { spentBy } from '@shared/runs/run-fold';
import { modelRef, requestParams } from '../agent/model-ref';
import { newUlid } from '../base/new-ulid';
import { readCopySources } from '../checkpoint/copy-program';
import { WorkspaceCopies } from '../checkpoint/workspace-copies';
import { isHost } from '../computer/hosts';
import type { Computer } from '../computer/port';
import { inside } from '../files/inside';
import { checkpointsFolder, runFolder } from '../files/workspace-paths';
import type { EngineOptions } from '../runs/engine-options';
import type { Cleaned, HostSessions } from '../runs/sessions/clean-sessions';
import { appendNewRun } from '../runs/start/append-new-run';
import { connect, disposeAll } from '../runs/start/connect';
import { type Ground, layGround } from '../runs/start/ground';
import { branchPlaces, refuseHoles } from '../runs/start/isolate';
import { evaluatorIsolated } from '../runs/start/places';
import { refuseWithoutPrice } from '../runs/steer/change-run';
import { hintText } from '../runs/steer/hint-text';
import { inheritPreparation } from '../task/reset';
import { parseSpec } from '../task/stored-spec';
import { branchHosts, dropBranch, markBranching, sweepBranches, unmarkBranching } from './branch-leavings';
import { branchNotice } from './branch-notice';
import { type FoundBranch, findBranch } from './branch-plan';
import { openAgain } from './branch-sessions';
import { lineageOf } from './lineage';

export interface NewBranch {
  run: string;
  /** The branch goes on after this step. */
  step: number;
  title: string;
  /** Null: the model in force there. */
  endpoint: Endpoint | null;
  /** Ids of hints to leave out of the context. */
  drop: readonly string[];
  /** Texts of new hints at its end. */
  add: readonly string[];
  /** A person agreed that it starts without isolation, where nobody has said so of the other run. */
  agreed?: boolean;
}

export interface BranchDeps {
  options: EngineOptions;
  cleanSessions(alive: { has(run: string): boolean }, hosts: readonly HostSessions[]): Promise<Cleaned>;
}

/**
 * Makes a run that goes on where another one stood after a step: its context, what it had used up, its files as the newest
 * checkpoint holds them. It rests until it is resumed. The other run is only read. Killed in between, it leaves no branch
 * and nothing in the way of the next one.
 * @throws WaymarkError not_found, bad_input, refused, disk_full, task_unsupported, not_isolated; ComputerUnavailable
 */
export async function branchRun(deps: BranchDeps, input: NewBranch): Promise<string> {
  const { options } = deps;
  const { store } = options;
  await sweepBranches(store, deps.cleanSessions, options.settings.current.computers);
  const found = await findBranch(store.reader, input.run, input.step);
  refuseUnknownHints(found, input.drop);
  if (input.endpoint !== null && found.plan.maxCost !== null) {
    refuseWithoutPrice(options.settings.current, input.endpoint.name);
  }
  const parent = createdIn(found);
  const created = {
    ...parent,
    computers: branchPlaces(parent.computers, input.endpoint !== null, input.agreed ?? false),
  };
  const spec = parseSpec(created.spec, created.task.title);
  const run = newUlid();
  const computers = connect(options, run, created.computers);
  let hosts = branchHosts(run, created.computers, null);
  const laid = async (ground: Ground | null) => {
    hosts = branchHosts(run, created.computers, ground);
    await markBranching(store, run, hosts);
  };
  try {
    await laid(null);
    await refuseHoles(store.folder, run, created.computers);
    const events = await prepare(deps, input, { found, created, spec, run, computers, laid });
    await appendNewRun(store, run, events);
  } catch (error) {
    await dropBranch(store, run, hosts, deps.cleanSessions);
    throw error;
  } finally {
    await disposeAll(computers);
  }
  await unmarkBranching(store, run);
  return run;
}

interface Making {
  found: FoundBranch;
  created: EventBody<'run.created'>;
  spec: TaskSpec;
  run: string;
  computers: ReadonlyMap<string, Computer>;
  laid(ground: Ground): Promise<void>;
}

async function prepare({ options }: BranchDeps, input: NewBranch, making: Making): Promise<NewEvent[]> {
  const { found, created, spec, run, computers } = making;
  const { plan, context } = found;
  const { store, hosts } = options;
  const folder = runFolder(store.folder, run);
  // The parent keeps the folder that its task may have asked for.
  const own = { ...spec, workspace: { ...spec.workspace, root: null } };
  const ground = await layGround({ run, folder, spec: own, computers, hosts });
  await making.laid(ground);
  if (plan.checkpoint !== null) await restore(options, making, plan.checkpoint, ground);
  const opened = await openAgain({ checkpoint: plan.checkpoint, created, computers, ground, spec });
  const model =
    input.endpoint === null ? (context.run.model ?? created.model) : modelRef(input.endpoint, spec);
  const request = input.endpoint === null ? (context.segment?.request ?? {}) : requestParams(model);
  const added = input.add.map((text) => ({ id: newUlid(), text: hintText(text) }));
  const notice = branchNotice({
    plan,
    from: created.workspaceRoot,
    to: ground.root,
    opened,
    dropped: input.drop.length,
    added: added.length,
  });
  const [segment, ...inherited] = context.events({
    drop: new Set(input.drop),
    added,
    notice: notice.agent,
    request,
    copied: plan.checkpoint?.step ?? 0,
  });
  if (segment === undefined) throw new WaymarkError('bug', 'A branch begins with a segment.');
  const began: EventBody<'branch.began'> = {
    parent: { run: plan.run, step: plan.step },
    checkpoint: plan.checkpoint?.checkpoint ?? null,
    spent: spentBy(context.run, context.at),
    dropped: [...input.drop],
    added,
    ...(context.taskHintSeen ? { taskHintSeen: true } : {}),
    message: notice.person,
  };
  return [
    { kind: 'run.created', body: branchOf(making, input, model, ground, store.folder) },
    segment,
    ...(ground.probed === null ? [] : [{ kind: 'workspace.probed' as const, body: ground.probed }]),
    ...inherited,
    { kind: 'branch.began', body: began },
    ...opened.map((body): NewEvent => ({ kind: 'session.opened', body })),
  ];
}

/** The run it branches from may be a branch itself: this is that run's own creation. */
function createdIn({ context, plan }: FoundBranch): EventBody<'run.created'> {
  const { created } = context.run;
  if (created !== null) return created;
  throw new WaymarkError('workspace_corrupt', `The log of run ${plan.run} does not begin with its creation.`);
}

function branchOf(
  { created, spec, run, found }: Making,
  input: NewBranch,
  model: EventBody<'run.created'>['model'],
  ground: Ground,
  workspace: string,
): EventBody<'run.created'> {
  return {
    ...created,
    run,
    title: input.title,
    model,
    workspaceRoot: ground.root,
    limits: found.context.run.limits ?? created.limits,
    evaluatorIsolated: evaluatorIsolated(spec, created.computers, workspace),
    sample: null,
    parent: { run: found.plan.run, step: found.plan.step },
  };
}

function refuseUnknownHints({ plan }: FoundBranch, drop: readonly string[]): void {
  const unknown = drop.find((id) => !plan.hints.some((hint) => hint.id === id));
  if (unknown !== undefined) {
    throw new WaymarkError(
      'bad_input',
      `Hint ${unknown} is not in the context after step ${plan.step}, so it cannot be left out.`,
    );
  }
}

/**
 * Fills the new workspace; what was set up for the parent is set up. Computers with folders of their own are prepared as for a
 * new run: no checkpoint holds those folders.
 */
async function restore(
  options: EngineOptions,
  { spec, run, computers, found }: Making,
  { workspace }: CheckpointView,
  ground: Ground,
): Promise<void> {
  const holder = computers.get(workspaceHolder(spec).name);
  if (workspace === null || holder === undefined) return;
  const copies = new WorkspaceCopies({
    computer: holder,
    run,
    localBase: checkpointsFolder(options.store.folder, run),
    sources: await readCopySources(options.resourcesDir),
  });
  const kept = isHost(holder) ? workspace.folder : checkpointHere(options.store.folder, workspace.folder);
  const order = { folder: kept, root: ground.root, origin: workspace.root };
  await copies.restore(order, new AbortController().signal);
  const seeing = ground.probed?.computers.flatMap(({ name, sees }) => (sees ? [name] : [])) ?? [];
  const { folder } = options.store;
  await inheritPreparation(
    runFolder(folder, found.plan.run),
    runFolder(folder, run),
    new Set([holder.name, ...seeing, '']),
  );
}

/**
 * On this machine a checkpoint lies below the workspace, wherever that is by now: its log says where it was, which may be the
 * original of a copy. @throws WaymarkError workspace_corrupt
 */
function checkpointHere(workspace: string, folder: string): string {
  const [run = '', id = ''] = folder.split('/').slice(-2);
  return inside(checkpointsFolder(workspace, run), id);
}

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
