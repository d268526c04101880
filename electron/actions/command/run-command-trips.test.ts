import { taskSpecSchema } from '@shared/contract/task';
import { expect, test } from 'vitest';
import { agentSetup } from '../../testing/agent-host/agent-setup';
import { realClock } from '../action-rig';
import { createActions } from '../create-actions';
import { actionTaskView } from '../task-view';

/** What was asked of a helper, in the order of time: requests that were under way together stand together. */
class Trips {
  readonly asked: string[][] = [];
  private open = 0;

  sent(op: string): void {
    const together = this.open > 0 ? this.asked.at(-1) : undefined;
    if (together) together.push(op);
    else this.asked.push([op]);
    this.open += 1;
  }

  answered(): void {
    this.open -= 1;
  }
}

test.each([
  'perl',
  'python3',
] as const)('a command on a host takes one look, its line, looks until its prompt, and one round at the end (%s)', async (helper) => {
  const { computer, link, workdir, dispose } = await agentSetup(helper);
  const task = actionTaskView(
    taskSpecSchema.parse({
      id: 'trips',
      title: 'Trips',
      computers: [{ name: computer.name, host: computer.alias, type: 'cpu' }],
      code_folders: ['code'],
      evaluation: { command: 'true', inputs: ['*'] },
    }),
    workdir,
  );
  const actions = createActions({
    task,
    computers: new Map([[computer.name, computer]]),
    evaluate: () => Promise.reject(new Error('This test does not evaluate.')),
    clock: realClock,
  });
  await computer.files.makeDirectory(`${workdir}/code`);
  const signal = new AbortController().signal;
  const run = async (step: number) => {
    const parsed = actions.parse(
      'run_command',
      '{"command":"true","session_id":"main","wait_for_completion":true}',
    );
    if (!parsed.ok) throw new Error(parsed.problem);
    const context = { step, call: 0, callId: `c${step}`, signal, wake: signal, leftMs: 3_600_000 };
    expect(await actions.run(parsed.call, context)).toMatchObject({ ok: true, data: { exitCode: 0 } });
  };
  await run(1);
  const client = link.client();
  const request = client.request.bind(client);
  let trips = new Trips();
  client.request = async (op, ...rest) => {
    trips.sent(op);
    try {
      return await request(op, ...rest);
    } finally {
      trips.answered();
    }
  };
  for (let step = 2; step <= 6; step += 1) {
    trips = new Trips();
    await run(step);
    const [first, second, ...waiting] = trips.asked;
    expect([first, second]).toEqual([['look'], ['command']]);
    expect(waiting.pop()?.sort()).toEqual(['directories', 'f.walk', 'look']);
    expect(new Set(waiting.flat())).toEqual(new Set(['look']));
  }
  await computer.sessions.close('main');
  await computer.dispose();
  await dispose();
});
