import { startRunSchema } from '@shared/contract/ipc/runs';
import { expect, test } from 'vitest';
import { parseArguments, positive, wholeNumber } from './arguments';
import { branchCommand } from './checkpoint-commands';
import type { CliContext } from './context';
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
])('an option that this answer does not take is refused: run %j', async (argv, message) => {
  await expect(runCommand(context, parseArguments(['run', ...argv]))).rejects.toMatchObject(refusal(message));
});

test('words after the step are refused', async () => {
  const args = parseArguments(['step', 'show', 'R', '1', '2', '3']);
  await expect(stepCommand(context, args)).rejects.toMatchObject(refusal('"2 3" is left over'));
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
