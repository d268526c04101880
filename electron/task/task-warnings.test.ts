import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { loadTaskPackage } from './load';
import { taskWarnings, warningWords } from './task-warnings';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-task-warnings-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const warnings = async (files: Record<string, string>) =>
  (await taskWarnings(await loadTaskPackage(await writeTaskPackage(join(folder, 'package'), files)))).map(
    warningWords,
  );

it.each([
  ['sh "$WAYMARK_INPUTS/data/outputs/train.sh"', 'evaluate.sh'],
  ['cd /tmp && timeout 60 python3 -u data/outputs/predict.py > x', 'evaluate.sh'],
  ['. data/outputs/env.sh', 'evaluate.sh'],
  [
    'import os, subprocess\nsubprocess.run([os.environ["WAYMARK_INPUTS"] + "/data/outputs/x"])',
    'evaluate.py',
  ],
  ['model = torch.load("data/outputs/model.pt")', 'evaluate.py'],
])('an evaluator that runs or loads what the agent wrote is named: %s', async (text, name) => {
  const said = await warnings({ [`evaluation/${name}`]: `${text}\n` });
  expect(said).toEqual([
    expect.stringMatching(new RegExp(`^evaluation/${name} seems to run.*evaluation\\.run`)),
  ]);
});

it('so are points for a success that the task cannot give', async () => {
  const yaml = (most: number) => `${smallTaskYaml}  max_score: ${most}\n`;
  expect(await warnings({ 'task.yaml': yaml(60) })).toEqual([
    'evaluation.success_at is 80 and evaluation.max_score 60, so no run of this task can count as successful. Lower success_at.',
  ]);
  expect(await warnings({ 'task.yaml': yaml(80) })).toEqual([]);
});

it('so is a command that does', async () => {
  const yaml = smallTaskYaml.replace('sh "$WAYMARK_EVALUATOR/evaluate.sh"', 'python3 data/outputs/score.py');
  expect(await warnings({ 'task.yaml': yaml })).toEqual([
    expect.stringMatching(/^evaluation\.command seems/),
  ]);
});

it('one that only reads gets no warning, nor one that has evaluation.run', async () => {
  expect(await warnings({})).toEqual([]);
  expect(
    await warnings({ 'evaluation/evaluate.py': 'rows = open("data/outputs/answer.txt").read()\n' }),
  ).toEqual([]);
  const yaml = smallTaskYaml.replace('  inputs:', '  run: sh data/outputs/train.sh\n  inputs:');
  expect(await warnings({ 'task.yaml': yaml, 'evaluation/evaluate.sh': 'sh data/outputs/x.sh\n' })).toEqual(
    [],
  );
});
