import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalFiles } from '../computer/local/local-files';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { type EvaluationOrder, evaluate } from './evaluate';
import { drivingMachine, runBare } from './evaluating-machine';
import { loadTaskPackage } from './load';
import { localSites } from './local-site';
import { hashPackage } from './package-files';
import { prepareWorkspace } from './reset';

const files = new LocalFiles();
/** Where there is no sandbox; `evaluator-sandbox.test.ts` has what only a sandbox does. */
const bare = { ...drivingMachine, run: runBare };
let folder: string;
let root: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-evaluate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Prepares the small task with this evaluator; `yaml` changes task.yaml. */
async function order(
  script: string | null,
  yaml = (text: string) => text,
  links: Record<string, string> = {},
): Promise<EvaluationOrder> {
  const packageFolder = await writeTaskPackage(join(folder, 'package'), {
    'task.yaml': yaml(smallTaskYaml),
    'evaluation/key': 'the key',
    ...(script === null ? {} : { 'evaluation/evaluate.sh': script }),
  });
  for (const [path, target] of Object.entries(links)) await symlink(target, join(packageFolder, path));
  const { spec, entries } = await loadTaskPackage(packageFolder);
  const runFolder = join(folder, 'run');
  const signal = new AbortController().signal;
  const sites = localSites(spec, packageFolder, runFolder, signal);
  const prepared = await prepareWorkspace({ spec, packageFolder, runFolder, sites, signal });
  root = prepared.root;
  const { protectedHashes } = prepared;
  return {
    spec,
    packageFolder,
    packageHash: await hashPackage(packageFolder, entries),
    isolated: false,
    files,
    root,
    runFolder,
    workspace: folder,
    folders: [],
    attempt: 1,
    forced: false,
    hintSeen: false,
    protectedHashes,
    signal,
  };
}

const answer = (lines: number) => writeFile(join(root, 'data/outputs/answer.txt'), 'line\n'.repeat(lines));

describe('an evaluation', () => {
  it('runs the evaluator in a fresh folder and maps its number to points', async () => {
    const given = await order(null);
    await answer(4);
    const outcome = await evaluate(given);
    expect(outcome).toMatchObject({
      outcome: 'scored',
      attempt: 1,
      score: 40,
      raw: 4,
      message: 'counted',
      inputs: ['data/outputs/answer.txt'],
      protectedChanged: [],
    });
    await answer(10);
    expect(await evaluate({ ...given, attempt: 2 })).toMatchObject({ attempt: 2, score: 100, raw: 10 });
    expect(await readdir(join(given.runFolder, 'evaluations'))).toEqual(['001', '002']);
    expect(
      (await readFile(join(outcome.folder, 'inputs/data/outputs/answer.txt'), 'utf8')).split('\n'),
    ).toHaveLength(5);
  });

  it('gives the evaluator nothing of the application environment', async () => {
    process.env.WAYMARK_TEST_SECRET = 'sk-secret';
    try {
      const given = await order('env > "$HOME/env.txt"; cat "$HOME/env.txt"; echo \'{"score": 1}\'');
      const { log, outcome } = await evaluate(given);
      expect(outcome).toBe('scored');
      const names = log.split('\n').map((text) => text.split('=')[0]);
      expect(log).not.toContain('sk-secret');
      expect(names).not.toContain('USER');
      expect(names).toEqual(
        expect.arrayContaining(['PATH', 'HOME', 'WAYMARK_RESULT', 'WAYMARK_EVALUATOR', 'WAYMARK_INPUTS']),
      );
    } finally {
      delete process.env.WAYMARK_TEST_SECRET;
    }
  });

  it('takes the last printed line where no result file is written', async () => {
    const given = await order('echo working; echo \'{"score": 2, "metrics": {"lines": 2}}\'; echo late >&2');
    expect(await evaluate(given)).toMatchObject({ outcome: 'scored', score: 20, metrics: { lines: 2 } });
  });

  it('gives 0 points for a submission of the wrong form, and spends the try', async () => {
    const given = await order('echo \'{"score": 99, "valid": false, "message": "no header"}\'');
    expect(await evaluate(given)).toMatchObject({
      outcome: 'scored',
      attempt: 1,
      score: 0,
      message: 'no header',
    });
  });

  it('spends no try on the forced final evaluation', async () => {
    const given = await order('echo \'{"score": 8}\'');
    expect(await evaluate({ ...given, forced: true })).toMatchObject({
      score: 80,
      attempt: null,
      forced: true,
    });
  });

  it('takes the penalty off once the task hint was seen, and for one that was given at the start if the task says so', async () => {
    const given = await order(
      'echo \'{"score": 4}\'',
      (text) => `${text}task_hint: { mode: off, penalty: 15 }\n`,
    );
    expect(await evaluate(given)).toMatchObject({ score: 40, penalty: 0 });
    expect(await evaluate({ ...given, hintSeen: true })).toMatchObject({ score: 25, penalty: 15 });
    const upfront = (penalty_upfront: boolean) => ({
      ...given.spec,
      task_hint: { ...given.spec.task_hint, mode: 'upfront' as const, penalty_upfront },
    });
    const seen = { ...given, hintSeen: true };
    expect(await evaluate({ ...seen, spec: upfront(false) })).toMatchObject({ score: 40, penalty: 0 });
    expect(await evaluate({ ...seen, spec: upfront(true) })).toMatchObject({ score: 25, penalty: 15 });
  });

  it('finds protected files that were changed and tells the evaluator', async () => {
    const given = await order('cat "$WAYMARK_PROTECTED_CHANGED"; echo \'{"score": 1}\'');
    await writeFile(join(root, 'task/fixed.txt'), 'changed');
    const outcome = await evaluate(given);
    expect(outcome.protectedChanged).toEqual(['task/fixed.txt']);
    expect(outcome.log).toContain('task/fixed.txt');
  });

  it.each<[string, string]>([
    ['a pipe', 'rm task/fixed.txt && mkfifo task/fixed.txt'],
    ['a link that leads nowhere it could', 'ln -sfn fixed.txt task/fixed.txt'],
    ['a folder', 'rm task/fixed.txt && mkdir task/fixed.txt'],
  ])('finds that %s took the place of a protected file, and evaluates all the same', async (_, command) => {
    const given = await order('echo \'{"score": 1}\'');
    execFileSync('sh', ['-c', command], { cwd: root });
    const outcome = await evaluate(given);
    expect(outcome).toMatchObject({ outcome: 'scored', protectedChanged: ['task/fixed.txt'] });
  });

  it('says that a pipe is no input', async () => {
    const given = await order('echo \'{"score": 1}\'');
    execFileSync('sh', ['-c', 'rm -rf data/outputs && mkfifo data/outputs'], { cwd: root });
    expect(await evaluate(given)).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringMatching(/outputs is a device, pipe or socket.*Put one of them there/),
    });
  });
});

describe('an evaluation that cannot be made', () => {
  it.each<[string, string, RegExp]>([
    ['crashes', 'echo broken >&2; exit 4', /exit code 4/],
    ['is killed', 'kill -9 $$', /signal 9/],
    ['calls what is missing', 'no-such-program-here', /127.*not found/],
    ['says nothing', ':', /no result/],
    ['prints no JSON', 'echo fine', /not JSON/],
    ['gives no number', 'echo \'{"score": "high"}\'', /unusable: score must be a finite number\.$/],
    ['gives a list', "echo '[1]'", /unusable: it must be one JSON object with a score\.$/],
    ['gives an infinite number', 'echo \'{"score": 1e999}\'', /unusable: score/],
    ['writes too much', 'head -c 2000000 /dev/zero > "$WAYMARK_RESULT"', /larger than 1 MB/],
  ])('because the evaluator %s spends no try and says why', async (_, script, why) => {
    const outcome = await evaluate(await order(script));
    expect(outcome).toMatchObject({ outcome: 'unavailable', attempt: null, score: null, raw: null });
    expect(outcome.message).toMatch(why);
    expect(JSON.parse(await readFile(join(outcome.folder, 'outcome.json'), 'utf8'))).toMatchObject({
      outcome: 'unavailable',
    });
  });

  it('because of the time limit kills everything the evaluator started', async () => {
    const pids = join(folder, 'pids');
    const script = `sleep 300 & echo $! > ${pids}; wait`;
    const given = await order(script, (text) => text.replace('20s', '400ms'));
    const outcome = await evaluate({ ...given, machine: bare });
    expect(outcome).toMatchObject({ outcome: 'unavailable', message: expect.stringContaining('400ms') });
    const state = await readFile(`/proc/${(await readFile(pids, 'utf8')).trim()}/stat`, 'utf8').catch(
      () => 'gone',
    );
    expect(state).toMatch(/^gone$|\) Z /);
  });

  it('because a needed program is missing names it', async () => {
    const given = await order(null, (text) => text.replace('[sh, wc]', '[sh, no-such-program-here]'));
    expect(await evaluate(given)).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('no-such-program-here'),
    });
  });

  it('because the inputs are too large says the limit', async () => {
    const given = await order(null, (text) => text.replace('  timeout', '  max_bytes: 100\n  timeout'));
    await answer(50);
    expect(await evaluate(given)).toMatchObject({
      outcome: 'unavailable',
      attempt: null,
      message: expect.stringContaining('at most 100 bytes'),
    });
  });

  it('because an input is a link out of the workspace', async () => {
    const given = await order(null);
    await symlink(join(given.packageFolder, 'evaluation/evaluate.sh'), join(root, 'data/outputs/answer.txt'));
    expect(await evaluate(given)).toMatchObject({
      outcome: 'unavailable',
      message: expect.stringContaining('leaves the workspace'),
    });
  });

  it('because it is cancelled rejects, so that it can be made again', async () => {
    const given = await order(': > started; sleep 60');
    const started = join(given.runFolder, 'evaluations/001/inputs/started');
    const stop = new AbortController();
    const running = evaluate({ ...given, signal: stop.signal });
    running.catch(() => undefined);
    while (!(await files.stat(started))) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('an evaluator that somebody helped', () => {
  const best = 'echo \'{"score": 8}\'';
  it.each<[string, (pinned: string) => Promise<unknown>]>([
    ['was rewritten', (pinned) => writeFile(join(pinned, 'evaluation/evaluate.sh'), best)],
    ['got a file more', (pinned) => writeFile(join(pinned, 'evaluation/sh'), best, { mode: 0o755 })],
    ['lost a file', (pinned) => rm(join(pinned, 'evaluation/key'))],
    ['may be executed now', (pinned) => chmod(join(pinned, 'evaluation/key'), 0o755)],
    ['reads other data', (pinned) => writeFile(join(pinned, 'data/datasets/numbers.txt'), '0')],
    [
      'became a link',
      async (pinned) => {
        await rename(join(pinned, 'evaluation/key'), join(pinned, '.git'));
        await symlink('../.git', join(pinned, 'evaluation/key'));
      },
    ],
    [
      'lies where a link leads',
      async (pinned) => {
        await rename(join(pinned, 'evaluation'), join(folder, 'elsewhere'));
        await symlink(join(folder, 'elsewhere'), join(pinned, 'evaluation'));
      },
    ],
    ['is gone with its package', (pinned) => rm(pinned, { recursive: true })],
  ])('and that %s is not run, and spends no try', async (_, help) => {
    const given = await order('echo it ran >&2; cat "$WAYMARK_EVALUATOR/key"');
    await help(given.packageFolder);
    const outcome = await evaluate(given);
    expect(outcome).toMatchObject({ outcome: 'unavailable', attempt: null, score: null, log: '' });
    expect(outcome.message).toMatch(/evaluator was not run\. Add the package again/);
    expect(await readdir(outcome.folder)).not.toContain('package');
  });

  it('finds nothing to exchange while it runs: a copy runs, which is gone afterwards', async () => {
    const given = await order(
      `echo "$WAYMARK_EVALUATOR" >&2
printf 'exchanged' > ${join(folder, 'package/evaluation/key')}
printf '{"score": 3, "message": "%s"}' "$(cat "$WAYMARK_EVALUATOR/key")"`,
    );
    const outcome = await evaluate({ ...given, machine: bare });
    expect(outcome).toMatchObject({ outcome: 'scored', raw: 3, message: 'the key' });
    expect(outcome.log).toContain(`${outcome.folder}/`);
    expect(await readdir(outcome.folder)).not.toContain('package');
    expect((await stat(outcome.folder)).mode & 0o077).toBe(0);
    expect(await evaluate(given)).toMatchObject({ outcome: 'unavailable' });
  });

  it('takes along what its links lead to', async () => {
    const given = await order(
      'printf \'{"score": %d}\' "$(wc -l < "$WAYMARK_EVALUATOR/numbers")"',
      (text) => text,
      {
        'evaluation/numbers': '../data/datasets/numbers.txt',
      },
    );
    expect(await evaluate(given)).toMatchObject({ outcome: 'scored', raw: 3 });
  });

  it.each([true, false])('says whether it stood apart: %s', async (isolated) => {
    const outcome = await evaluate({ ...(await order(null)), isolated });
    expect(outcome.isolated).toBe(isolated);
    expect(JSON.parse(await readFile(join(outcome.folder, 'outcome.json'), 'utf8'))).toMatchObject({
      isolated,
    });
  });
});

describe('inputs', () => {
  it('follow the globs: hidden files, inner links, whole folders, nothing else', async () => {
    const given = await order('find . -type f | sort >&2; echo \'{"score": 1}\'', (text) =>
      text.replace('[data/outputs/**]', '["data/outputs/*.txt", "data/{a,b}/x.csv", "task/logs"]'),
    );
    for (const path of [
      'data/outputs/one.txt',
      'data/outputs/.two.txt',
      'data/outputs/three.csv',
      'data/outputs/deep/four.txt',
      'data/a/x.csv',
      'data/b/x.csv',
      'data/c/x.csv',
      'task/logs/deep/log.txt',
    ]) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), path);
    }
    await symlink('three.csv', join(root, 'data/outputs/link.txt'));
    const outcome = await evaluate(given);
    expect(outcome.inputs).toEqual([
      'data/a/x.csv',
      'data/b/x.csv',
      'data/outputs/.two.txt',
      'data/outputs/link.txt',
      'data/outputs/one.txt',
      'task/logs/deep/log.txt',
    ]);
    expect(
      outcome.log
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('./')),
    ).toHaveLength(6);
  });

  it('may match nothing; the evaluator judges that', async () => {
    const outcome = await evaluate(
      await order(
        '[ -e data/outputs/answer.txt ] || echo \'{"score": 0, "valid": false, "message": "no answer"}\'',
      ),
    );
    expect(outcome).toMatchObject({ outcome: 'scored', score: 0, inputs: [], message: 'no answer' });
  });
});
