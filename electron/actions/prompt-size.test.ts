import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { promptHead } from '../runs/drive/prompt';
import { parseTaskYaml } from '../task/task-yaml';
import { toolOf } from './parse-call';
import { offeredActions } from './table';
import { actionTaskView } from './task-view';

const resourcesDir = resolve(import.meta.dirname, '../../resources');

/** Characters for a token, as it was measured when the ceiling was set: 60 % of 3,650 tokens. */
const unitsPerToken = 4;
const ceiling = 2_190;

test('system prompt and tools of the demo task stay below 2,190 tokens, at four characters each', async () => {
  const yaml = await readFile(resolve(resourcesDir, 'demo/task/task.yaml'), 'utf8');
  const { spec } = parseTaskYaml(yaml);
  if (spec === null) throw new Error('The demo task is not sound.');
  const root = '/home/ada/waymark/workspaces/demo/runs/01JD0000000000000000000000/work';
  const view = actionTaskView(spec, root);
  const tools = [...offeredActions(view).values()].map((action) => toolOf(action, view));
  expect(tools).toHaveLength(27);
  for (const severalCalls of [false, true]) {
    const head = await promptHead(spec, {
      resourcesDir,
      workspaceRoot: root,
      probed: null,
      taskHint: 'off',
      severalCalls,
    });
    const system = head[0]?.content ?? '';
    const tokens = (system.length + JSON.stringify(tools).length) / unitsPerToken;
    // Asking for one call an answer is how runs are started; several take a sentence more.
    expect(tokens, `${system.length} characters of prompt`).toBeLessThanOrEqual(
      ceiling + (severalCalls ? 40 : 0),
    );
    // It says what the request says.
    expect(system.includes('each answer makes one call')).toBe(!severalCalls);
    expect(system.includes('You may call several in one answer')).toBe(severalCalls);
    expect(system).not.toContain('{{');
  }
});

test('no tool says a thing twelve times: what is the same everywhere stands once or not at all', () => {
  const { spec } = parseTaskYaml('id: t\ntitle: T\nevaluation: { command: "true", inputs: ["**"] }\n');
  if (spec === null) throw new Error('The task is not sound.');
  const view = actionTaskView(spec, '/workspace');
  const text = JSON.stringify([...offeredActions(view).values()].map((action) => toolOf(action, view)));
  expect(text).not.toContain('computer_ip');
  expect(text.split('Name of the session').length - 1).toBe(0);
});
