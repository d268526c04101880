import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeAt } from '../files/remove';
import { evaluateLeft, withLine } from '../testing/evaluation-stand';
import { sandboxMissing } from '../testing/sandbox-missing';
import { drivingMachine, runBare, runSubmissionBare } from './evaluating-machine';
import { WrittenLimit, writtenBelow } from './written-limit';

const below = resolve(import.meta.dirname, '../../node_modules/.cache');
const limit = 16 * 1024 ** 2;
let workspace: string;

beforeEach(async () => {
  await mkdir(below, { recursive: true });
  workspace = await realpath(await mkdtemp(join(below, 'waymark-written-')));
});
// Some of it is nested deeper than a path can be long.
afterEach(() => removeAt(workspace));

const yaml = withLine(`max_written: ${limit}`);
/** A program of the agent that the evaluator runs, and that goes on until somebody ends it. */
const evaluated = (script: string, more = {}) =>
  evaluateLeft(workspace, {
    yaml,
    files: { 'evaluation/evaluate.sh': 'bash data/outputs/train.sh\necho \'{"score": 8}\'' },
    left: { 'data/outputs/train.sh': `${script}\n` },
    more,
  });

/** 1 MB to a new file, a thousand times. */
const pieces = (folder: string) =>
  `for i in $(seq 1000); do head -c 1000000 /dev/zero > ${folder}/$i || exit 1; done; sleep 60`;

const stopped = {
  outcome: 'unavailable',
  attempt: null,
  score: null,
  message: expect.stringMatching(
    /was stopped because it wrote more than 16 MB.*evaluation\.max_written.*write less/,
  ),
};

describe.skipIf(sandboxMissing)(
  `an evaluation that writes without end${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    it.each([
      ['among its inputs', pieces('data/outputs')],
      ['at home', pieces('~')],
      ['to /tmp', pieces('/tmp')],
      ['beside the result', pieces('"$(dirname "$WAYMARK_RESULT")"')],
      ['into its copy of the package', pieces('"$WAYMARK_EVALUATOR"')],
      ['to one file', 'cat /dev/zero > data/outputs/one; sleep 60'],
      [
        'to names that are no text',
        'd=$(printf \'data/outputs/\\377\'); mkdir "$d"; cd "$d"; for i in $(seq 1000); do head -c 1000000 /dev/zero > $i; done; sleep 60',
      ],
      ['nothing but names', 'cd data/outputs; for i in $(seq 20000); do : > $i; done; sleep 60'],
      [
        'to files whose names it takes away',
        `perl -e 'for (1 .. 1000) { open $h[$_], ">", "data/outputs/x" or die; unlink "data/outputs/x"; print {$h[$_]} "x" x 1000000; $h[$_]->flush } sleep 60'`,
      ],
      [
        'to memory',
        'for i in $(seq 1000); do head -c 1000000 /dev/zero > /dev/shm/$i || exit 1; done; sleep 60',
      ],
    ])('%s, is stopped, says why and leaves nothing of it', async (_, script) => {
      const outcome = await evaluated(script);
      expect(outcome).toMatchObject(stopped);
      expect((await writtenBelow(outcome.folder)).bytes).toBeLessThan(2 * 1024 ** 2);
    });

    it('and is over at once gets no score either', async () => {
      const outcome = await evaluated('head -c 9000000 /dev/zero > ~/a; head -c 9000000 /dev/zero > ~/b');
      expect(outcome).toMatchObject(stopped);
    });

    it('counts what evaluation.run wrote as well', async () => {
      const outcome = await evaluateLeft(workspace, {
        yaml: (text) => withLine('run: bash data/outputs/train.sh')(yaml(text)),
        files: { 'evaluation/evaluate.sh': 'echo \'{"score": 8}\'' },
        left: { 'data/outputs/train.sh': pieces('data/outputs') },
      });
      expect(outcome).toMatchObject(stopped);
      expect(await readdir(outcome.folder)).not.toContain('inputs');
    });

    it('keeps nothing of many that fail just below the limit', async () => {
      const outcome = await evaluateLeft(workspace, {
        yaml,
        files: { 'evaluation/evaluate.sh': 'bash data/outputs/train.sh; exit 1' },
        left: { 'data/outputs/train.sh': 'head -c 9000000 /dev/zero > data/outputs/more' },
      });
      expect(outcome).toMatchObject({
        outcome: 'unavailable',
        message: expect.stringContaining('exit code 1'),
      });
      expect((await writtenBelow(outcome.folder)).bytes).toBeLessThan(1024 ** 2);
    });

    it('is left alone below the limit, and its own inputs and package do not count', async () => {
      const outcome = await evaluateLeft(workspace, {
        yaml,
        files: {
          'evaluation/evaluate.sh': 'head -c 8000000 /dev/zero > ~/some\necho \'{"score": 8}\'',
          'evaluation/large': 'x'.repeat(12_000_000),
        },
        left: { 'data/outputs/large': 'x'.repeat(12_000_000) },
      });
      expect(outcome).toMatchObject({ outcome: 'scored', raw: 8 });
    });
  },
);

it('without a sandbox is stopped as well', async () => {
  const bare = { ...drivingMachine, run: runBare, runSubmission: runSubmissionBare };
  expect(await evaluated(pieces('data/outputs'), { machine: bare })).toMatchObject(stopped);
});

it.skipIf(process.getuid?.() !== 0)('nobody takes the last of a disk', async () => {
  const disk = join(workspace, 'disk');
  await mkdir(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'none', disk]);
  expect(mounted.status).toBe(0);
  try {
    const watched = new WrittenLimit(disk, 1024 ** 3);
    await watched.begin();
    expect(await watched.why()).toBeNull();
    spawnSync('fallocate', ['-l', '100m', join(disk, 'one')]);
    expect(await watched.why()).toBe('less than 256 MB were left on the disk');
  } finally {
    spawnSync('umount', [disk]);
  }
});

it('folders that go too deep to be measured count as too much', async () => {
  const deep = join(workspace, 'deep');
  await mkdir(deep);
  const dig = 'for (1 .. 60) { mkdir "d" x 200; chdir "d" x 200 } open F, ">", "x"';
  expect(spawnSync('perl', ['-e', dig], { cwd: deep }).status).toBe(0);
  const watched = new WrittenLimit(deep, 1024 ** 3);
  expect(await watched.why()).toMatch(/too deep to be measured/);
});
