import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { taskSpecSchema } from '@shared/contract/task';
import type { NewEvent } from '@shared/log/events';
import { RunFold } from '@shared/runs/run-fold';
import { expect, test } from 'vitest';
import { parsePolicy } from '../demo/policy';
import { WORKSPACE } from '../testing/realistic-run-hands';
import { ResearchLife } from '../testing/realistic-run-life';
import { RunPen } from '../testing/realistic-run-pen';
import { Chance, RunTexts } from '../testing/realistic-run-texts';
import { approvalQuestion } from './approval';
import { actionTaskView } from './task-view';

/**
 * How often a normal session is interrupted. The person allows each kind when it is first offered, for the run, and answers
 * once what has no kind; every question counts as asked. The share is of its commands.
 */
function sitThrough(actions: readonly NewEvent[], root: string) {
  const spec = taskSpecSchema.parse({
    id: 'x',
    title: 'X',
    evaluation: { command: 'true', inputs: ['**'] },
  });
  const task = actionTaskView(spec, root);
  const fold = new RunFold();
  let commands = 0;
  const asked: string[] = [];
  for (const event of actions) {
    fold.apply(event, 0);
    if (event.kind !== 'action.started') continue;
    const { name, args } = event.body;
    if (name === 'run_command') commands += 1;
    const standing = { kinds: fold.allowedKinds, wrote: fold.wroteSinceAnswer };
    const question = approvalQuestion({ name, args }, task, standing);
    if (question === null) continue;
    asked.push(question.what);
    const approval = '0'.repeat(26);
    const { kinds = [] } = question;
    fold.apply({ kind: 'approval.decided', body: { approval, decision: 'allow', by: 'Ada', kinds } }, 0);
  }
  return { commands, asked };
}

const started = (name: string, args: Record<string, string | number | boolean>): NewEvent => ({
  kind: 'action.started',
  body: { step: 1, call: 0, callId: 'c', name, args, guards: [] },
});

function longRun(seed: number) {
  const texts = new RunTexts(new Chance(seed));
  const pen = new RunPen(texts, 0);
  pen.startSegment([{ role: 'system', content: 'x' }]);
  const life = new ResearchLife(pen, texts, 200);
  life.begin();
  while (pen.step < 200) life.live();
  const events = pen.take().flatMap((step) => step.events);
  return sitThrough(events, WORKSPACE);
}

function demo() {
  const path = join(__dirname, '../../resources/demo/policy.json');
  const { steps } = parsePolicy(readFileSync(path, 'utf8'), 'demo');
  const filled = (value: string | number | boolean) =>
    typeof value === 'string' ? value.replaceAll('{root}', '/workspace') : value;
  const actions = steps.map(({ call }) =>
    started(
      call.name,
      Object.fromEntries(Object.entries(call.arguments).map(([key, value]) => [key, filled(value)])),
    ),
  );
  return sitThrough(actions, '/workspace');
}

/** Of all their commands together, those that are asked about. */
function share(sessions: readonly ReturnType<typeof sitThrough>[]): number {
  const asked = sessions.reduce((total, seen) => total + seen.asked.length, 0);
  return asked / sessions.reduce((total, seen) => total + seen.commands, 0);
}

const longRuns = [1, 2, 3, 4, 5].map(longRun);

test('five runs of 200 steps are asked about at most one command in ten', () => {
  for (const { commands } of longRuns) expect(commands).toBeGreaterThan(60);
  expect(share(longRuns), longRuns.flatMap(({ asked }) => asked).join('\n')).toBeLessThanOrEqual(0.1);
});

/** No rule may spare it: it runs what the agent wrote, and is asked about until a person allowed the kind. */
test('the demo, were its approvals on, is asked once: before it runs files that the agent may have written', () => {
  const seen = demo();
  expect(seen.commands).toBe(8);
  expect(seen.asked).toEqual(['sh task/scripts/filter.sh']);
});

test('with the demo among them it is no more', () => {
  expect(share([demo(), ...longRuns])).toBeLessThanOrEqual(0.1);
});
