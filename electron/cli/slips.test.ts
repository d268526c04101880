import { startRunSchema } from '@shared/contract/ipc/runs';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createdBody, createRun } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import { duration, parseArguments, positive, wholeNumber } from './arguments';
import { branchCommand } from './checkpoint-commands';
import type { CliContext } from './context';
import { asCalled, calledAs, helpFor } from './help';
import { whenOf } from './hint-commands';
import { runCommand } from './run-commands';
import { stepCommand } from './step-commands';

/** A workspace with a run R; what is refused must be refused before anything is asked or written. */
const context = {
  reader: {
    resolveRun: async (word: string) => word,
  },
  prompts: { whyNobody: async () => 'it must not get this far' },
} as unknown as CliContext;

const refusal = (message: string) => ({ code: 'bad_input', message: expect.stringContaining(message) });

test.each([
  [['approve', 'R', '--reason', 'No.'], '"run approve" takes no --reason'],
  [['refuse', 'R', '--kind'], '"run refuse" takes no --kind'],
])('an option that this answer does not take is refused: run %j', (argv, message) => {
  expect(() => parseArguments(['run', ...argv])).toThrow(message);
});

test('words after the step are refused', async () => {
  const args = parseArguments(['step', 'show', 'R', '1', '2', '3']);
  await expect(stepCommand(context, args)).rejects.toMatchObject(refusal('"2 3" was given as well'));
});

test.each(['', ' '])('a hint without words is added to no branch: "%s"', async (text) => {
  const args = parseArguments(['branch', 'R', '--step', '1', '--add', text]);
  await expect(branchCommand(context, args)).rejects.toMatchObject(refusal('The text of --add is missing'));
});

test.each(['--experiment', '--arm', '--group'])('%s without a name is refused', async (option) => {
  const args = parseArguments(['run', 'start', '--task', 'small', `${option}=`]);
  await expect(runCommand(context, args)).rejects.toMatchObject(refusal(`${option} is empty.`));
});

test.each([
  '--title',
  '--experiment',
  '--arm',
  '--group',
])('%s of two lines or without end is refused', async (option) => {
  for (const value of ['a\nStatus   finished', 'a\u2028b', 'a\x1b[2Jb', 'x'.repeat(121)]) {
    const args = parseArguments(['run', 'start', '--task', 'small', `${option}=${value}`]);
    await expect(runCommand(context, args)).rejects.toMatchObject(refusal(`${option} h`));
    const start = { task: 'small', endpoint: 'e', [option.slice(2)]: value };
    expect(startRunSchema.safeParse(start).error?.issues.map(({ path }) => path[0])).toContain(
      option.slice(2),
    );
  }
});

test('a number below 0 is said to be one, not taken for an option', () => {
  const { values } = parseArguments(['run', 'start', '--seed', '-1', '--max-steps', '-5']);
  expect(() => wholeNumber(values.seed, '--seed')).toThrow(
    '--seed is "-1" but must be a whole number, 0 or above.',
  );
  expect(() => positive(values['max-steps'], '--max-steps')).toThrow('--max-steps is "-5" but must be');
  // What stands behind `--` are words, and options that take no value take none.
  expect(parseArguments(['hint', 'send', 'R', '--', '--seed', '-1']).words.slice(-2)).toEqual([
    '--seed',
    '-1',
  ]);
  expect(() => parseArguments(['run', 'list', '--json', '-1'])).toThrow("Unknown option '-1'");
});

test('numbers and times say what is wrong with them', () => {
  expect(() => wholeNumber('9'.repeat(20), '--seed')).toThrow(
    `but the maximum is ${Number.MAX_SAFE_INTEGER}. Give a smaller number.`,
  );
  expect(() => wholeNumber('1000001', '--sample', 1_000_000)).toThrow(
    '--sample is 1000001, but the maximum is 1000000',
  );
  expect(wholeNumber('1000000', '--sample', 1_000_000)).toBe(1_000_000);
  for (const none of ['0h', '0s', '0.0m'])
    expect(() => duration(none, '--max-time')).toThrow(`--max-time is "${none}", which is zero.`);
  expect(() => duration('soon', '--max-time')).toThrow('must be a time such as');
});

test('a condition of a hint that counts wrongly says what it counts', () => {
  expect(() => whenOf('error_streak:1', false)).toThrow(
    'error_streak counts 2 to 100 steps in a row, as in error_streak:3',
  );
  expect(() => whenOf('gpu-idle:0', false)).toThrow('counts 1 to 1440 minutes');
  expect(() => whenOf('sometime', false)).toThrow('must be one of');
  expect(whenOf('error-streak:3', false)).toEqual({ when: 'error_streak', steps: 3 });
});

test('a command about a run that names none says how one is named', async () => {
  const args = parseArguments(['run', 'show']);
  await expect(runCommand(context, args)).rejects.toMatchObject(refusal('No run was named. Add its id'));
});

test('what is said of commands names them as they are called here', () => {
  const called = calledAs({ npm_lifecycle_event: 'waymark' });
  expect(calledAs({})).toBe('waymark');
  expect(helpFor([], called)).toMatch(/^npm run -s waymark --: the engine/u);
  expect(helpFor(['run', 'show'], called)).toMatch(/^npm run -s waymark -- run show\n/u);
  expect(asCalled('Run "waymark --help" for the commands of waymark.', called)).toBe(
    'Run "npm run -s waymark -- --help" for the commands of waymark.',
  );
  expect(helpFor([])).toMatch(/^waymark: /u);
});

test('a word that fits several runs names them, the latest first, and how many more there are', async () => {
  const store = testStore();
  const runs: string[] = [];
  for (let made = 0; made < 11; made += 1) runs.push(await createRun(store));
  const forged = ulid();
  const title = `A\n${runs[0]}  Another run`;
  await store.writer.append(forged, 0, [{ kind: 'run.created', body: { ...createdBody(forged), title } }]);
  await expect(store.reader.resolveRun('01')).rejects.toMatchObject({
    code: 'bad_input',
    message: '"01" fits 12 runs. Type more of the id.',
    detail: expect.stringMatching(/^(01\w{24} {2}A[ \w]*\n){10}and 2 older$/),
  });
  expect(await store.reader.resolveRun(runs[3] ?? '')).toBe(runs[3]);
});
