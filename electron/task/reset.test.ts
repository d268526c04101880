import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalFiles } from '../computer/local/local-files';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { loadTaskPackage } from './load';
import { localSites, workspaceRoot } from './local-site';
import { changedProtected } from './protected';
import { prepareWorkspace, readProtectedHashes, type SetupStep } from './reset';

const files = new LocalFiles();
let folder: string;
let runFolder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-reset-'));
  runFolder = join(folder, 'run');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function prepare(yaml: string, signal = new AbortController().signal) {
  const packageFolder = await writeTaskPackage(join(folder, 'package'), {
    'task.yaml': yaml,
    'extra/tool.sh': 'tool\n',
  });
  const { spec } = await loadTaskPackage(packageFolder);
  const seen: string[] = [];
  const onProgress = (steps: readonly SetupStep[]) =>
    void seen.push(steps.map((step) => step.state).join(' '));
  const sites = localSites(spec, packageFolder, runFolder, signal);
  const order = { spec, packageFolder, runFolder, sites, signal, onProgress };
  return { spec, seen, prepare: () => prepareWorkspace(order) };
}

const withSetup = (setup: string) =>
  smallTaskYaml.replace('    type: localhost_cpu\n', `    type: localhost_cpu\n    setup:\n${setup}`);

describe('preparing a workspace', () => {
  it('copies task and data, makes outputs, copies and links extras, runs commands with the variables', async () => {
    await mkdir(join(folder, 'shared'));
    const yaml = withSetup(
      `      copy: [{ from: extra/tool.sh, to: bin/tool.sh }]\n      link: [{ from: ${join(folder, 'shared')}, to: data/shared }]\n      environment: ['echo "$COLOUR" > colour.txt']\n      variables: { COLOUR: green }\n`,
    );
    const { prepare: go, seen } = await prepare(yaml);
    const { root, steps, protectedHashes } = await go();
    expect(root).toBe(workspaceRoot(runFolder));
    expect(await readFile(join(root, 'task/run.sh'), 'utf8')).toBe('echo hello\n');
    expect(await readFile(join(root, 'bin/tool.sh'), 'utf8')).toBe('tool\n');
    expect(await readFile(join(root, 'colour.txt'), 'utf8')).toBe('green\n');
    expect(await readlink(join(root, 'data/shared'))).toBe(join(folder, 'shared'));
    expect(steps.map((step) => step.title)).toEqual([
      'Copy task to task',
      'Copy data to data',
      'Make data/outputs',
      'Copy extra/tool.sh to bin/tool.sh',
      `Link data/shared to ${join(folder, 'shared')}`,
      'Run echo "$COLOUR" > colour.txt',
    ]);
    expect(steps.every((step) => step.state === 'done')).toBe(true);
    expect(seen[0]).toBe('running waiting waiting waiting waiting waiting');
    expect(Object.keys(protectedHashes)).toEqual(['task/fixed.txt']);
    await expect(readFile(join(root, 'evaluation/evaluate.sh'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('goes on where a failed step stopped it and touches nothing that was done', async () => {
    const gate = join(folder, 'gate');
    const { prepare: go } = await prepare(
      withSetup(`      environment: ['test -e ${gate} || { echo no gate; exit 3; }']\n`),
    );
    await expect(go()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/exit code 3[\s\S]*no gate/),
    });
    await writeFile(join(workspaceRoot(runFolder), 'task/run.sh'), 'the agent was here');
    await writeFile(gate, '');
    const { steps, root } = await go();
    expect(steps.at(-1)).toMatchObject({ state: 'done' });
    expect(await readFile(join(root, 'task/run.sh'), 'utf8')).toBe('the agent was here');
  });

  it('stops at once when it is cancelled, and can be called again', async () => {
    const stop = new AbortController();
    const started = join(folder, 'started');
    const yaml = withSetup(`      environment: ['test -e ${started} || { : > ${started}; sleep 60; }']\n`);
    const first = await prepare(yaml, stop.signal);
    const running = first.prepare();
    running.catch(() => undefined);
    while (!(await files.stat(started))) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    const second = await prepare(yaml);
    expect((await second.prepare()).steps.at(-1)?.state).toBe('done');
  });

  it('keeps the hashes of protected files of the first time and finds every change', async () => {
    const yaml = smallTaskYaml.replace('[task/fixed.txt]', '[task/fixed.txt, data/datasets]');
    const { prepare: go, spec } = await prepare(yaml);
    await expect(readProtectedHashes(runFolder)).rejects.toMatchObject({ code: 'not_found' });
    const { root, protectedHashes } = await go();
    await writeFile(join(root, 'task/fixed.txt'), 'changed\n');
    await writeFile(join(root, 'data/datasets/new.txt'), '');
    await rm(join(root, 'data/datasets/numbers.txt'));
    await go();
    expect(await readProtectedHashes(runFolder)).toEqual(protectedHashes);
    expect(await changedProtected(files, root, spec.protected, protectedHashes)).toEqual([
      'data/datasets/new.txt',
      'data/datasets/numbers.txt',
      'task/fixed.txt',
    ]);
  });
});
