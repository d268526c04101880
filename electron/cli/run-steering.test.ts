import { afterEach, expect, it } from 'vitest';
import { takenEnvironment } from '../environment/taken-environment';
import { NamedAddresses } from '../named-addresses';
import { EndpointsStand } from '../testing/endpoints-stand';
import { author } from '../testing/engine-stand';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import type { CommandResult } from './output';
import { runCommand } from './run-commands';
import { statusLine, statusWords } from './status-words';

const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args });
const price = { input: 1, cached: 1, output: 1 };
let stand: EndpointsStand;
afterEach(() => stand.close());

async function open(): Promise<void> {
  stand = await EndpointsStand.open({
    First: {
      policy: ({ answers }) =>
        [session, background][answers] ?? { calls: [call('sleep', { sleep_time: 600 })] },
    },
    Second: { policy: () => ({ calls: [call('finish')] }), price },
  });
}
const session = { calls: [call('create_session', { computer_ip: 'local', session_id: 'main' })] };
const background = {
  calls: [
    call('run_command', {
      computer_ip: 'local',
      session_id: 'main',
      command: 'sleep 300',
      wait_for_completion: false,
    }),
  ],
};

function waymark(...argv: string[]): Promise<CommandResult> {
  const { store, engine, settings, folder } = stand;
  const context: CliContext = {
    ...{ folder, store, reader: store.reader, engine, settings, author, entry: '', resourcesDir: '' },
    addresses: new NamedAddresses(folder),
    environment: takenEnvironment({}),
    terminal: { out: () => undefined, err: () => undefined, write: () => Promise.resolve(true) },
  };
  return runCommand(context, parseArguments(['run', ...argv]));
}

it('starts with limits, shows what a run does, pauses, changes model and limits', async () => {
  await open();
  const started = await waymark(
    ...['start', '--task', 'small', '--model', 'First'],
    ...['--max-steps', '9', '--max-time', '2h', '--max-tokens', '500000'],
  );
  const { run } = started.json as { run: string };
  expect((await waymark('list')).lines[0]).toContain('not started');
  await stand.engine.resumeRun(run);
  await stand.until(run, 'action.started', ({ name }) => name === 'sleep');
  const shown = await waymark('show', run);
  expect(shown.lines[1]).toMatch(
    /^Status {3}sleeping until \d\d:\d\d\. A command runs in session main on local\.$/u,
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
  const resumed = await waymark('resume', run, '--wait');
  expect(resumed.exitCode).toBeUndefined();
  expect(await stand.store.reader.run(run)).toMatchObject({
    ...{ state: 'finished', reason: 'finish', model: 'second', maxCost: 2, maxTokens: null },
    scores: { maxTries: 1 },
  });
  expect((await waymark('list')).json).toMatchObject({ runs: [{ id: run, status: 'finished' }] });
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
    'training on worker (gpu-03) until 14:20. A command runs in session train on worker (gpu-03).',
  );
}, 60_000);
