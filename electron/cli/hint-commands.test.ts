import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { author, EngineStand, unisolated } from '../testing/engine-stand';
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

  test('ends a sleep or waits for something, not both', () => {
    expect(whenOf(undefined, true)).toEqual({ when: 'wake' });
    expect(() => whenOf('score_changes', true)).toThrow(/cannot be combined/);
  });
});

describe('hints of a run from the command line', () => {
  let stand: EngineStand;
  let run: string;
  const call = (name: string, args = {}) => ({ calls: [{ name, arguments: args }] });
  const hint = async (...words: string[]) => {
    const { engine, store } = stand;
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
    await expect(hint('send', run, 'late')).rejects.toMatchObject({ code: 'run_ended' });
  }, 60_000);
});
