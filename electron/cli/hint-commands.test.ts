import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { author, EngineStand, unisolated } from '../testing/engine-stand';
import { smallTaskYaml } from '../testing/task-package';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { hintCommand, whenOf } from './hint-commands';

describe('--when', () => {
  test.each([
    [undefined, { when: 'next_step' }],
    ['wake', { when: 'wake' }],
    ['score-changes', { when: 'score_changes' }],
    ['session_idle', { when: 'session_idle', computer: '', session: '' }],
    ['session_idle:gpu-04/train', { when: 'session_idle', computer: 'gpu-04', session: 'train' }],
    ['gpu_idle:10', { when: 'gpu_idle', computer: '', minutes: 10 }],
    ['gpu-idle:gpu-04:10', { when: 'gpu_idle', computer: 'gpu-04', minutes: 10 }],
    ['error_streak:5', { when: 'error_streak', steps: 5 }],
  ])('%s', (word, deliver) => {
    expect(whenOf(word, false)).toEqual(deliver);
  });

  test.each(['soon', 'gpu_idle', 'gpu_idle:0', 'error_streak:1', 'error_streak:x', ''])('not %s', (word) => {
    expect(() => whenOf(word, false)).toThrow(/must be one of|counts \d+ to \d+/);
  });

  test.each([
    [
      'error_streak:0',
      '--when is "error_streak:0", and error_streak counts 2 to 100 steps in a row, as in error_streak:3.',
    ],
    [
      'error-streak:0',
      '--when is "error-streak:0", and error-streak counts 2 to 100 steps in a row, as in error-streak:3.',
    ],
    [
      'gpu_idle:0',
      '--when is "gpu_idle:0", and gpu_idle counts 1 to 1440 minutes, as in gpu_idle:30 or gpu_idle:gpu-03:30.',
    ],
  ])('%s is told by the name that was typed', (word, message) => {
    expect(() => whenOf(word, false)).toThrow(message);
  });

  test('ends a sleep or waits for something, not both', () => {
    expect(whenOf(undefined, true)).toEqual({ when: 'wake' });
    expect(() => whenOf('score_changes', true)).toThrow(/cannot be combined/);
  });
});

describe('hints of a run from the command line', () => {
  let stand: EngineStand;
  let run: string;
  const call = (name: string, args = {}) => ({ calls: [{ name, arguments: args }] });
  const hint = (...words: string[]) => hintOn(stand, ...words);
  const hintOn = async ({ engine, store }: EngineStand, ...words: string[]) => {
    const context = { engine, store, reader: store.reader, author } as unknown as CliContext;
    const { json, lines } = await hintCommand(context, parseArguments(['hint', ...words]));
    return { json: json as Record<string, unknown>, lines };
  };

  beforeAll(async () => {
    stand = await EngineStand.open({
      policy: ({ answers }) => (answers === 0 ? call('think', { thought: 'x' }) : call('finish')),
      files: {},
      aliases: [],
    });
    run = await stand.start();
  }, 60_000);
  afterAll(() => stand.close(), 60_000);

  test('a score that no evaluation can change is nothing to wait for', async () => {
    const none = await stand.start({}, 'off', { ...unisolated, maxEvals: 0 });
    await expect(hint('send', none, 'x', '--when', 'score_changes')).rejects.toMatchObject({
      code: 'bad_input',
      message: 'This run has no evaluations, so the hint would never be delivered. Choose another condition.',
    });
    const sent = await hint('send', none, 'x');
    expect(sent.json).toMatchObject({ number: 1 });
    await expect(hint('edit', none, '1', '--when', 'score_changes')).rejects.toThrow('has no evaluations');
  }, 60_000);

  test('a condition that takes longer than the run has steps or time left is nothing to wait for', async () => {
    const short = await stand.start({}, 'off', { ...unisolated, maxSteps: 3, maxWorkingMs: 10 * 60_000 });
    await expect(hint('send', short, 'x', '--when', 'error_streak:4')).rejects.toMatchObject({
      code: 'bad_input',
      message:
        'This run has 3 steps left, so the hint would never be delivered. Choose a shorter condition, or raise the limits first.',
    });
    await expect(hint('send', short, 'x', '--when', 'gpu_idle:11')).rejects.toThrow(
      'This run has 10 minutes of working time left',
    );
    expect((await hint('send', short, 'x', '--when', 'error_streak:3')).json).toMatchObject({ number: 1 });
    await expect(hint('edit', short, '1', '--when', 'error_streak:5')).rejects.toThrow('3 steps left');
  }, 60_000);

  test('sessions and GPUs that the agent cannot have are nothing to wait for', async () => {
    const refused = (message: string) => ({ code: 'bad_input', message });
    const finish = () => call('finish');
    const without = await EngineStand.open({
      policy: finish,
      files: { 'task.yaml': `${smallTaskYaml}tools: [think, open_file, finish]\n` },
      aliases: [],
    });
    const judged = await EngineStand.open({
      policy: finish,
      files: {
        'task.yaml': smallTaskYaml.replace(
          'protected:',
          '  - { name: judge, host: judge, type: cpu, evaluator: true }\nprotected:',
        ),
      },
      aliases: ['judge'],
    });
    try {
      const plain = await without.start({}, 'off', { ...unisolated });
      const none = refused(
        'The agent of this run has no sessions, so the hint would never be delivered. Choose another condition.',
      );
      for (const when of ['session_idle', 'session_idle:local', 'session_idle:local/train'])
        await expect(hintOn(without, 'send', plain, 'x', '--when', when)).rejects.toMatchObject(none);
      await hintOn(without, 'send', plain, 'x');
      await expect(hintOn(without, 'edit', plain, '1', '--when', 'session_idle')).rejects.toMatchObject(none);

      const other = await judged.start({}, 'off', { ...unisolated });
      for (const when of ['session_idle:judge', 'session_idle:judge/main', 'gpu_idle:judge:5'])
        await expect(hintOn(judged, 'send', other, 'x', '--when', when)).rejects.toMatchObject(
          refused(
            'judge only evaluates, and the agent does not work there, so the hint would never be delivered. Choose another condition.',
          ),
        );
      await expect(hintOn(judged, 'send', other, 'x', '--when', 'gpu_idle:5')).rejects.toMatchObject(
        refused('This run has no GPUs, so the hint would never be delivered. Choose another condition.'),
      );
      await expect(hintOn(judged, 'send', other, 'x', '--when', 'session_idle:none')).rejects.toThrow(
        'This run has no computer none. It has local.',
      );
      await hintOn(judged, 'send', other, 'x', '--when', 'session_idle');
    } finally {
      await without.close();
      await judged.close();
    }
  }, 60_000);

  test('a hint says something, and moves before another', async () => {
    const own = await stand.start();
    const empty = { code: 'bad_input', message: 'The hint is empty. Write what the agent should read.' };
    for (const text of [' ', ' \t\n', '\u00a0', '\u200b \u2060'])
      await expect(hint('send', own, text)).rejects.toMatchObject(empty);
    await hint('send', own, 'x');
    await hint('send', own, 'y');
    await expect(hint('edit', own, '1', '  ')).rejects.toMatchObject(empty);
    await expect(hint('move', own, '1', '1')).rejects.toMatchObject({
      code: 'bad_input',
      message: 'Hint 1 cannot be moved before itself. Choose another queued hint, or the end of the queue.',
    });
    await hint('withdraw', own, '1');
    await expect(hint('verdict', own, '1', 'ignored')).rejects.toMatchObject({
      code: 'refused',
      message: 'Hint 1 was withdrawn before the agent read it, so there is nothing to judge.',
    });
    await expect(hint('verdict', own, '2', 'ignored')).rejects.toThrow('has not answered with hint 2');
  }, 60_000);

  test('sends, lists, edits, moves and withdraws by number', async () => {
    expect((await hint('list', run)).lines).toEqual(['No hints yet. Send one with: hint send RUN TEXT']);
    expect(await hint('send', run, 'use', 'awk', '--category', 'strategy')).toMatchObject({
      json: { run, number: 1 },
      lines: ['Queued hint 1. The agent reads it with its next step.'],
    });
    await hint('send', run, 'and', 'sort', '--wake');
    await expect(hint('send', run, 'x', '--when', 'gpu_idle:5')).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('This run has no GPUs'),
    });
    await expect(hint('send', run, 'x', '--when', 'gpu_idle:local:5')).rejects.toThrow('local has no GPUs');
    const waits = await hint('send', run, 'evaluate', '--when', 'session_idle:local/train');
    expect(waits.lines).toEqual(['Queued hint 3. The agent reads it once train on local is idle again.']);
    await hint('send', run, 'never mind');
    await hint('edit', run, '1', 'use', 'sed');
    await hint('edit', run, '2', '--when', 'error_streak:3', '--category', 'correction');
    await hint('move', run, '2', '1');
    await hint('move', run, '1', 'last');
    await hint('withdraw', run, '4');
    const { hints } = (await hint('list', run)).json as { hints: Record<string, unknown>[] };
    expect(hints).toMatchObject([
      { text: 'use sed', category: 'strategy', position: 3 },
      { text: 'and sort', category: 'correction', position: 1, deliver: { when: 'error_streak', steps: 3 } },
      { text: 'evaluate', position: 2 },
      { state: 'withdrawn' },
    ]);
  }, 60_000);

  test('says what became of them', async () => {
    await expect(hint('verdict', run, '1', 'ignored')).rejects.toMatchObject({ code: 'refused' });
    await stand.drive(run);
    await expect(hint('edit', run, '1', 'x')).rejects.toMatchObject({ code: 'hint_already_delivered' });
    expect((await hint('verdict', run, '1', 'acted-on')).lines).toEqual(['Hint 1: acted-on.']);
    const { lines } = await hint('list', run);
    expect(lines[0]).toMatch(/^1 +delivered after step 0, acted on +Ada +use sed$/);
    expect(lines[1]).toMatch(/undelivered/);
    await hint('verdict', run, '1', 'clear');
    expect((await hint('list', run)).json).toMatchObject({ hints: [{ verdict: null }, {}, {}, {}] });
    await expect(hint('verdict', run, '9', 'ignored')).rejects.toMatchObject({ code: 'not_found' });
    await expect(hint('verdict', run, '1', 'maybe')).rejects.toMatchObject({ code: 'bad_input' });
    await expect(hint('toString', run)).rejects.toMatchObject({ code: 'bad_input' });
    await expect(hint('shout', run)).rejects.toMatchObject({ code: 'bad_input' });
    await expect(hint('send', run, 'late')).rejects.toMatchObject({
      code: 'run_ended',
      message: `Run ${run} has ended (finished). Branch from one of its steps to continue with a hint.`,
    });
    await expect(hint('edit', run, '2', 'late')).rejects.toMatchObject({
      code: 'run_ended',
      message:
        "Hint 2 was not delivered before the run ended. Branch from one of the run's steps to go on with it.",
    });
    await expect(hint('verdict', run, '2', 'ignored')).rejects.toThrow(
      'The run ended before the agent answered hint 2, so there is nothing to judge.',
    );
  }, 60_000);
});
