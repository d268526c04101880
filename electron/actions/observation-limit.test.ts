import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { observationLimit } from '@shared/base/bounded-text';
import { defaultTools } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startScriptedModel } from '../model/scripted-server';
import { LoopStand } from '../testing/loop-stand';
import { type ActionRig, actionRig } from './action-rig';
import { actionTable } from './table';

/**
 * Whatever a call says, what the model reads of it has at most 12,000 characters, and what the log says of its guards is
 * short: the real loop with the real actions, a scripted model that sends arguments nobody would.
 */
const long = 'x'.repeat(60_000);
const texts = fc.oneof(
  fc.constantFrom(
    long,
    `/${long}`,
    `/nonexistent/${long}`,
    `{root}/${long}`,
    `{root}/${'d/'.repeat(3_000)}x`,
    `{root}/big.txt`,
    `rm /nonexistent/${long}`,
    Array.from({ length: 300 }, (_, i) => `rm -rf /nonexistent/${'y'.repeat(200)}${i}`).join('\n'),
    Array.from({ length: 300 }, (_, i) => `kill ${i + 1}; nohup true`).join('\n'),
    `mkfs.ext4 ${long}`,
    `echo ${long}`,
    'cat big.txt',
    `${'漢😀'.repeat(10_000)}`,
    `<real_user>${long}</real_user>`,
    '\n'.repeat(40_000),
    '*'.repeat(300),
    'line',
    '',
  ),
  fc.string({ maxLength: 40 }).map((text) => `echo '${text.replace(/[^\w ]/g, '')}'`),
);
const values = fc.oneof(
  { weight: 4, arbitrary: texts },
  fc.constantFrom(0, 1, -1, 50, 1e15, Number.MAX_SAFE_INTEGER, true, null, [long], { [long]: long }),
);

const calls = fc.oneof(
  ...actionTable.filter(usable).map((action) =>
    fc.record({
      name: fc.constantFrom(action.name, ...(action.aliases ?? [])),
      arguments: fc
        .record(Object.fromEntries(action.params.map((param) => [param.name, values])), { requiredKeys: [] })
        .map((args) => ({
          ...args,
          ...(action.name === 'run_command' ? { wait_for_completion: true, session_id: 'main' } : {}),
        })),
    }),
  ),
  fc.record({
    name: fc.constantFrom(long, 'open_file', 'no_such_tool', `functions.${long}`),
    arguments: fc.constantFrom<unknown>({ [long]: 1 }, { path: [long] }, long, [long], `{"path": "${long}`),
  }),
);

/** `finish` would end the run, and a sleep takes as long as it says. */
function usable({ name }: { name: string }): boolean {
  return name !== 'finish' && name !== 'sleep';
}

const RUN = 8;

let rig: ActionRig;
beforeEach(async () => {
  rig = await actionRig({
    // What an evaluator that breaks says is no shorter.
    deps: { evaluate: () => Promise.reject(new Error(long)) },
    task: {
      task_hint: { mode: 'tool', text: long, penalty: 0 },
      tools: [...defaultTools, 'view_hint'],
    },
  });
  await writeFile(join(rig.root, 'big.txt'), 'line of a large file\n'.repeat(20_000));
});
afterEach(async () => {
  await rig.dispose();
});

for (const level of ['refuse', 'warn'] as const) {
  test(`observations and messages that teach are short, whatever was asked for (guards ${level})`, async () => {
    const asked = fc.sample(calls, { numRuns: 60, seed: level === 'refuse' ? 12 : 13 });
    const guards = Object.fromEntries(Object.keys(rig.task.guards).map((rule) => [rule, level]));
    const task = { ...rig.task, guards: { ...rig.task.guards, ...guards } };
    const actions = rig.again(undefined, { task });
    const send = (given: unknown) => {
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return text.replaceAll('{root}', rig.root);
    };
    const observed: EventBody<'action.observed'>[] = [];
    const guarded: number[] = [];
    // Runs of a few steps: each request holds everything that was sent before.
    for (let from = 0; from < asked.length; from += RUN) {
      const model = await startScriptedModel({
        policy: ({ answers }) => {
          const call = answers < RUN ? asked[from + answers] : undefined;
          return call === undefined
            ? { calls: [{ name: 'finish', arguments: {} }] }
            : { calls: [{ name: call.name, arguments: send(call.arguments) }] };
        },
      });
      const stand = new LoopStand({
        model,
        contextTokens: 1_000_000_000,
        wrap: (ports) => ({ ...ports, actions }),
      });
      expect(await stand.drive()).toBe('finished');
      expect(stand.unverified()).toBe(0);
      await model.close();
      observed.push(...stand.of('action.observed'));
      for (const { text } of stand.of('step.taught')) {
        expect(text.length).toBeLessThanOrEqual(observationLimit);
      }
      for (const { guards } of stand.of('action.started')) {
        guarded.push(guards.length);
        for (const { message } of guards) expect(message.length).toBeLessThanOrEqual(600);
      }
    }
    expect(observed.length).toBeGreaterThan(asked.length / 2);
    for (const { text, name, error } of observed) {
      expect(text.length, name).toBeLessThanOrEqual(observationLimit);
      expect((error?.message ?? '').length, name).toBeLessThanOrEqual(600);
    }
    expect(Math.max(...guarded)).toBeGreaterThan(0);
    expect(Math.max(...guarded)).toBeLessThanOrEqual(12);
  });
}
