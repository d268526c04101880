import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import { afterEach, expect, it } from 'vitest';
import { cliContext } from '../testing/cli-context';
import { eventually } from '../testing/deadline';
import { EndpointsStand } from '../testing/endpoints-stand';
import { call, sleepsOn } from '../testing/scripted-answers';
import { parseArguments } from './arguments';
import type { CommandResult } from './output';
import { runCommand } from './run-commands';
import { statusLine, statusWords } from './status-words';

const price = { input: 1, cached: 1, output: 1 };
let stand: EndpointsStand;
afterEach(() => stand.close());

async function open(): Promise<void> {
  stand = await EndpointsStand.open({
    First: {
      policy: ({ answers }) =>
        [session, background][answers] ?? { calls: [call('sleep', { sleep_time: 100 })] },
    },
    Second: { policy: () => ({ calls: [call('finish')] }), price },
  });
}
const session = { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' })] };
const until = {
  calls: [
    call('run_command', {
      computer_ip: 'local',
      session_id: 'main',
      wait_for_completion: false,
      command: 'until [ -e done ]; do sleep 0.05; done',
    }),
  ],
};
const background = { calls: [sleepsOn] };

function waymark(...argv: string[]): Promise<CommandResult> {
  return runCommand(cliContext(stand), parseArguments(['run', ...argv]));
}

it('records what a run was started for, each word in its own place', async () => {
  await open();
  const started = await waymark(
    ...['start', '--task', 'small', '--model', 'First', '--isolation', 'none', '--approvals', 'off'],
    ...['--experiment', 'masks', '--arm', 'with-hints', '--group', 'g7', '--sample', '3', '--seed', '11'],
    ...['--human-hints', 'off', '--task-hint', 'off', '--max-evals', '2', '--max-training-time', '3h'],
    ...['--title', 'Third of seven'],
  );
  const { run } = started.json as { run: string };
  const [created] = await stand.of(run, 'run.created');
  const recorded = {
    experiment: 'masks',
    arm: 'with-hints',
    group: 'g7',
    sample: 3,
    seed: 11,
    humanHints: false,
    taskHint: 'off',
  };
  expect(created).toMatchObject({
    ...recorded,
    title: 'Third of seven',
    limits: { maxEvals: 2, maxTrainingMs: 3 * 3_600_000 },
  });
  const shown = (await waymark('show', run)).json;
  expect(shown).toMatchObject({
    recorded,
  });
  const asking = [
    'start',
    '--task',
    'small',
    '--model',
    'First',
    '--isolation',
    'none',
    '--task-hint',
    'tool',
  ];
  await expect(waymark(...asking)).rejects.toThrow('Task small has no task hint.');
});

it('starts with limits, shows what a run does, pauses, changes model and limits', async () => {
  await open();
  const started = await waymark(
    ...['start', '--task', 'small', '--model', 'First', '--isolation', 'none', '--approvals', 'off'],
    ...['--max-steps', '9', '--max-time', '2h', '--max-tokens', '500000'],
  );
  const { run } = started.json as { run: string };
  expect((await waymark('list')).lines[0]).toContain('not started');
  await stand.engine.resumeRun(run);
  await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
  const shown = await waymark('show', run);
  expect(shown.lines[1]).toMatch(
    /^Status {3}sleeping until \d\d:\d\d\. A command is running in session main on local\.$/u,
  );
  expect(shown.json).toMatchObject({
    status: 'sleeping',
    runningOn: [{ computer: 'local', session: 'main' }],
    model: { endpoint: 'First', model: 'first' },
    budgets: {
      steps: { used: 3, limit: 9 },
      workingMs: { limit: 7_200_000 },
      tokens: { limit: 500_000 },
      cost: { limit: null },
    },
  });
  const paused = await waymark('pause', run, '--now');
  expect(paused.lines).toEqual([
    `Run ${run} pauses now.`,
    '"sleep 300" keeps running in session main on local.',
  ]);
  await stand.engine.waitRun(run);
  await expect(waymark('limits', run, '--max-cost', '2')).rejects.toMatchObject({ code: 'refused' });
  await expect(waymark('limits', run)).rejects.toMatchObject({ code: 'bad_input' });
  await expect(waymark('limits', run, '--max-time', 'soon')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(waymark('model', run, 'Nobody')).rejects.toMatchObject({ code: 'not_found' });
  await expect(waymark('model', run)).rejects.toMatchObject({ code: 'bad_input' });
  expect((await waymark('model', run, 'Second')).json).toEqual({ run, endpoint: 'Second', model: 'second' });
  await waymark('limits', run, '--max-cost', '2', '--max-tokens', 'none', '--max-evals', '1');
  const asked = await waymark('show', run);
  expect(asked.lines.filter((line) => line.startsWith('Asked'))).toEqual([
    'Asked    model second at Second, by Ada; from the next step on',
    'Asked    1 evaluation, no limit on tokens, a cost of 2, by Ada; from the next step on',
  ]);
  expect(asked.lines[1]).toMatch(/"sleep 300" keeps running in session main on local\./u);
  expect(asked.lines).toContain('Recorded task hint off, human hints on');
  const { budgets } = (await waymark('show', run)).json as { budgets: { cost: { used: null } } };
  expect(budgets.cost.used).toBeNull();
  const resumed = await waymark('resume', run, '--wait');
  expect(resumed.exitCode).toBeUndefined();
  expect(await stand.store.reader.run(run)).toMatchObject({
    state: 'finished',
    reason: 'finish',
    model: 'second',
    maxCost: 2,
    maxTokens: null,
    scores: { maxTries: 1 },
  });
  expect((await waymark('list')).json).toMatchObject({ runs: [{ id: run, status: 'finished' }] });
  const ended = await waymark('show', run);
  expect(ended.json).toMatchObject({ pending: [], budgets: { cost: { used: expect.any(Number) } } });
}, 60_000);

it('a run that waits for an approval says so first, in whatever state it is', async () => {
  await open();
  const run = await stand.start('First');
  const summary = await stand.store.reader.run(run);
  const what = `mv a b\n${'x'.repeat(100)}`;
  const asked: [ApprovalAsked] = [
    { run, approval: 'a', step: 2, what, why: 'It moves files.', on: ['local'] },
  ];
  const paused = { ...summary, state: 'paused' as const, reason: 'asked', message: 'Paused by Ada.' };
  expect(statusLine(paused, [], asked)).toBe('waiting for your answer: mv a b (paused)');
  expect(statusWords({ ...paused, state: 'undriven' }, asked)).toBe(
    'waiting for your answer: mv a b (not driven)',
  );
  expect(statusWords({ ...paused, state: 'waiting_human' }, asked)).toBe('waiting for your answer: mv a b');
  expect(statusWords(paused, [{ ...asked[0], what: 'y'.repeat(100) }])).toContain(`${'y'.repeat(60)}…`);
  expect(statusLine(paused, [])).toBe('paused (asked): Paused by Ada.');
}, 60_000);

it('a run whose driver died says so, and nothing that was true before', async () => {
  await open();
  const summary = await stand.store.reader.run(await stand.start('First'));
  const dead = { ...summary, state: 'undriven' as const, stored: 'running' as const, message: 'Driven.' };
  const busy = { ...dead, runningOn: [{ computer: 'local', session: 'train' }] };
  const gone = `not driven: The process that drove it is gone. Continue with: run resume ${summary.id}`;
  expect(statusLine(busy, [])).toBe(gone);
  const command = { computer: 'local', host: null, session: 'main', command: 'make', since: 1, live: true };
  expect(statusLine(busy, [command])).toBe(`${gone}. "make" keeps running in session main on local.`);
  const waiting = {
    ...dead,
    stored: 'waiting_host' as const,
    reason: 'computer_unavailable',
    message: 'gpu-03 is away.',
  };
  expect(statusLine(waiting, [])).toBe(gone);
}, 60_000);

it('what ended while nobody drove the run does not keep running', async () => {
  stand = await EndpointsStand.open({
    First: {
      policy: ({ answers }) => [session, until][answers] ?? { calls: [call('sleep', { sleep_time: 600 })] },
    },
  });
  const run = await stand.start('First');
  await stand.engine.resumeRun(run);
  await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
  await waymark('pause', run, '--now');
  await stand.engine.waitRun(run);
  expect((await waymark('show', run)).json).toMatchObject({ runningOn: [{ session: 'main', live: true }] });
  const [created] = await stand.of(run, 'run.created');
  await writeFile(join(created?.workspaceRoot ?? '', 'done'), '');
  await eventually('the command is over', async () => {
    const { json, lines } = await waymark('show', run);
    return (json as { runningOn: unknown[] }).runningOn.length === 0 ? lines : undefined;
  });
}, 60_000);

it('stops for good and says that nothing is evaluated', async () => {
  await open();
  const run = await stand.start('Second');
  expect((await waymark('stop', run)).lines).toEqual([`Run ${run} stops, without a final evaluation.`]);
  expect((await waymark('show', run)).lines[1]).toBe(
    'Status   stopped (asked): Stopped by Ada, without a final evaluation.',
  );
}, 60_000);

it('names the computer a run trains on', async () => {
  await open();
  const summary = await stand.store.reader.run(await stand.start('First'));
  const training = {
    ...summary,
    state: 'sleeping' as const,
    until: new Date(2026, 0, 1, 14, 20).getTime(),
    runningOn: [{ computer: 'worker', session: 'train' }],
    computers: [{ name: 'worker', kind: 'ssh' as const, host: 'gpu-03', gpus: 8 }],
  };
  expect(statusWords(training)).toBe('training on worker (gpu-03) until 14:20');
  expect(statusLine(training)).toBe(
    'training on worker (gpu-03) until 14:20. A command is running in session train on worker (gpu-03).',
  );
}, 60_000);
