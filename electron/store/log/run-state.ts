import type { RunSummary } from '@shared/contract/views';
import type { EventBody, StoredStatus } from '@shared/log/events';
import type { ProtectedChanges, Scores } from '@shared/runs/scores';
import { z } from 'zod';
import type { HeadRow } from '../projections/fold-rows';

/** Raised when the fold's output changes: heads of an older version are rebuilt in the background. */
export const FOLD_VERSION = 10;

/** What `run.created` fixes for the run's whole life. */
export interface RunFacts {
  title: string;
  task: { id: string; title: string; domain: string | null };
  model: string;
  sendReasoning: boolean;
  /** The model takes images. */
  images?: true;
  contextLimit: number;
  maxSteps: number;
  maxWorkingMs: number;
  maxTries: number;
  /** Absent: no limit. */
  maxTrainingMs?: number;
  maxTokens: number | null;
  maxCost: number | null;
  endpoint: string;
  parent: { run: string; step: number } | null;
  computers: RunSummary['computers'];
  evaluatorIsolated: boolean;
}

/** A question to a person that has no answer yet; `seq`: the event that has its words. */
export interface OpenApproval {
  approval: string;
  step: number;
  call: number;
  seq: number;
}

type Limit = 'maxSteps' | 'maxWorkingMs' | 'maxTries' | 'maxTrainingMs' | 'maxTokens' | 'maxCost';
type EventBodyHead = Pick<EventBody<'summary.started'>, 'step' | 'steps' | 'pair' | 'carried'>;

/** Everything the next event needs to know about the events before it; small, JSON, stored beside the head. */
export interface StoredRunState {
  version: number;
  /** Root of the run's workspace; left out of titles, where it says nothing. */
  root: string;
  status: StoredStatus | null;
  reason: string | null;
  message: string | null;
  activity: 'none' | 'thinking' | 'acting' | 'sleeping';
  until: number | null;
  /** Number of the latest answered step. */
  steps: number;
  segments: number;
  requested: { step: number; seq: number; at: number; context: number } | null;
  /** Row of the latest answered step. */
  head: HeadRow | null;
  /** Row of the step before the summary turns that are the latest steps: what it observed carries the next hints. */
  carrier: HeadRow | null;
  /** Valid calls of that step and how many of them are observed. */
  calls: number;
  observed: number;
  /** What an unobserved search looks for. */
  search: { query: string; place: string } | null;
  /** Open sessions: `computer:name` → uid. */
  sessions: Record<string, string>;
  /** Questions to a person without an answer, oldest first. Absent when there is none. */
  approvals?: OpenApproval[];
  /** Kinds of actions that a person allowed for the rest of the run. Absent when there is none. */
  kinds?: string[];
  /** By uid, in order: bytes of a session that were dropped before they were fetched. Absent before the first. */
  gaps?: Record<string, { from: number; to: number }[]>;
  tokens: { input: number; output: number; cached: number; context: number };
  /** Steps that count against the limit. */
  taken: number;
  checkpoints: number;
  /** What changed of the facts since the run was created. */
  changed: Partial<Pick<RunFacts, 'model' | 'endpoint' | 'contextLimit' | Limit>>;
  /** From event `seq` on, whether reasoning is sent back and images are shown; absent before the model was changed. */
  sendReasoning?: { seq: number; on: boolean; images?: true }[];
  /** The summary turn under way. */
  summary: EventBodyHead | null;
  cost: number;
  /** Answers without a price, of this run and not of the one it is a branch of. Absent when there is none. */
  unpriced?: number;
  lastAt: number;
  tries: number;
  scores: Scores;
  /** Absent before an evaluation found some. */
  protectedChanged?: ProtectedChanges;
}

export function startState(): StoredRunState {
  return {
    version: FOLD_VERSION,
    root: '',
    status: null,
    reason: null,
    message: null,
    activity: 'none',
    until: null,
    steps: 0,
    segments: 0,
    requested: null,
    head: null,
    carrier: null,
    calls: 0,
    observed: 0,
    search: null,
    sessions: {},
    tokens: { input: 0, output: 0, cached: 0, context: 0 },
    taken: 0,
    checkpoints: 0,
    changed: {},
    summary: null,
    cost: 0,
    lastAt: 0,
    tries: 0,
    scores: { best: null, final: null, last: null },
  };
}

export function runFacts(body: EventBody<'run.created'>): RunFacts {
  return {
    title: body.title,
    task: { id: body.task.id, title: body.task.title, domain: body.task.domain },
    model: body.model.model,
    sendReasoning: body.model.sendReasoning,
    ...(body.model.images === true ? { images: true as const } : {}),
    contextLimit: body.model.contextTokens,
    maxSteps: body.limits.maxSteps,
    maxWorkingMs: body.limits.maxWorkingMs,
    maxTries: body.limits.maxEvals,
    ...(body.limits.maxTrainingMs === undefined ? {} : { maxTrainingMs: body.limits.maxTrainingMs }),
    maxTokens: body.limits.maxTokens ?? null,
    maxCost: body.limits.maxCost ?? null,
    endpoint: body.model.endpoint,
    parent: body.parent,
    computers: computersOf(body),
    evaluatorIsolated: body.evaluatorIsolated,
  };
}

/** Where each computer of the task is, how many GPUs the task says it has, and whether it only evaluates. */
function computersOf({ computers, spec }: EventBody<'run.created'>): RunFacts['computers'] {
  const said = saidOfComputers.safeParse(spec.computers);
  return computers.map((place) => {
    const known = said.success ? said.data.find(({ name }) => name === place.name) : undefined;
    const gpus = known?.gpus?.count;
    return {
      ...place,
      ...(gpus === undefined ? {} : { gpus }),
      ...(known?.evaluator === true ? { evaluator: true as const } : {}),
    };
  });
}

const saidOfComputers = z.array(
  z.object({
    name: z.string(),
    gpus: z.object({ count: z.number() }).nullish(),
    evaluator: z.boolean().optional(),
  }),
);
