import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewEvent } from '@shared/events';
import { RunFold } from '@shared/run-fold';
import { taskSpecSchema } from '@shared/task';
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
    ...{ id: 'x', title: 'X', evaluation: { command: 'true', inputs: ['**'] } },
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

test('a run of 200 steps is asked about at most one command in ten', () => {
  const texts = new RunTexts(new Chance(1));
  const pen = new RunPen(texts, 0);
  pen.startSegment([{ role: 'system', content: 'x' }]);
  const life = new ResearchLife(pen, texts, 200);
  life.begin();
  while (pen.step < 200) life.live();
  const seen = sitThrough(
    pen.take().flatMap(({ events }) => events),
    WORKSPACE,
  );
  expect(seen.commands).toBeGreaterThan(60);
  expect(seen.asked.length / seen.commands, seen.asked.join('\n')).toBeLessThanOrEqual(0.1);
});

/** A short run of shell scripts: two of the questions are about loops and variables, which are never allowed as a kind. */
test('the demo, were its approvals on, is asked about four of its eight commands', () => {
  const policy = parsePolicy(
    readFileSync(join(__dirname, '../../resources/demo/policy.json'), 'utf8'),
    'demo',
  );
  const actions = policy.steps.flatMap(({ call }) => [
    started(
      call.name,
      Object.fromEntries(
        Object.entries(call.arguments).map(([key, value]) => [
          key,
          typeof value === 'string' ? value.replaceAll('{root}', '/workspace') : value,
        ]),
      ),
    ),
  ]);
  const seen = sitThrough(actions, '/workspace');
  expect(seen.commands).toBe(8);
  expect(seen.asked, seen.asked.join('\n')).toHaveLength(4);
});
