import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type TaskSpec, taskSpecSchema } from '@shared/contract/task';
import type { z } from 'zod';
import type { ActionContext, ActionOutcome, ActionPort } from '../agent/ports';
import type { Clock } from '../clock';
import { LocalComputer } from '../computer/local/local-computer';
import { ActionFactsFold } from './action-facts';
import { type ActionDeps, createActions } from './create-actions';
import { type ActionTaskView, actionTaskView } from './task-view';

/** Actions on a real local computer in a temporary workspace; imported by tests only. */
export interface ActionRig {
  root: string;
  computer: LocalComputer;
  task: ActionTaskView;
  actions: ActionPort;
  /** Parses, checks the guards as the loop does, and runs. Commands share the session `main` unless another is named. */
  call(
    name: string,
    args?: Record<string, unknown>,
    context?: Partial<ActionContext>,
  ): Promise<ActionOutcome>;
  /** A second set of actions over the same computer, as after a restart. */
  again(facts?: ActionFactsFold, change?: Partial<ActionDeps>): ActionPort;
  context(change?: Partial<ActionContext>): ActionContext;
  dispose(): Promise<void>;
}

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal });
  },
};

export function testTask(change: Partial<z.input<typeof taskSpecSchema>> = {}): TaskSpec {
  return taskSpecSchema.parse({
    id: 'test',
    title: 'Test',
    evaluation: { command: 'true', inputs: ['**'] },
    ...change,
  });
}

export async function actionRig(
  options: {
    task?: Partial<z.input<typeof taskSpecSchema>>;
    view?: Partial<ActionTaskView>;
    deps?: Partial<ActionDeps>;
  } = {},
): Promise<ActionRig> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'waymark-actions-')));
  const root = join(base, 'workspace');
  const computer = new LocalComputer({
    sessionsDir: join(base, 'sessions'),
    resourcesDir: resolve(import.meta.dirname, '../../resources'),
  });
  await computer.files.makeDirectory(root);
  const task = { ...actionTaskView(testTask(options.task), root), ...options.view };
  const again = (facts?: ActionFactsFold, change: Partial<ActionDeps> = {}) =>
    createActions({
      task,
      computers: new Map([['local', computer]]),
      evaluate: () => Promise.reject(new Error('This test does not evaluate.')),
      clock: realClock,
      ...(facts ? { facts } : {}),
      ...options.deps,
      ...change,
    });
  const actions = again(new ActionFactsFold(task));
  let step = 0;
  const context = (change: Partial<ActionContext> = {}): ActionContext => ({
    step,
    call: 0,
    callId: `call-${step}`,
    signal: new AbortController().signal,
    wake: new AbortController().signal,
    leftMs: 3_600_000,
    ...change,
  });
  return {
    root,
    computer,
    task,
    actions,
    again,
    context,
    async call(name, args = {}, change = {}) {
      step += 1;
      const named = name === 'run_command' ? { session_id: 'main', ...args } : args;
      const parsed = actions.parse(name, JSON.stringify(named));
      if (!parsed.ok) throw new Error(parsed.problem);
      const refused = actions.guards(parsed.call, step).filter((guard) => guard.level === 'refuse');
      if (refused.length > 0) throw new Error(refused.map((guard) => guard.message).join('\n'));
      return actions.run(parsed.call, context(change));
    },
    async dispose() {
      for (const session of await computer.sessions.list()) await computer.sessions.close(session.name);
      await computer.dispose();
      await rm(base, { recursive: true, force: true });
    },
  };
}
