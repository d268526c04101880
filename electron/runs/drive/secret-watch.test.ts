import { afterEach, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { EndpointsStand } from '../../testing/endpoints-stand';

const stands: EndpointsStand[] = [];
afterEach(async () => {
  await Promise.all(stands.splice(0).map((stand) => stand.close()));
});

const own = 'sk-own-0123456789-abcdefghijklmnop';
/** Put together here, so that no file of the repository holds what looks like a key. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const half = own.length / 2;
const commands = [
  'echo nothing to see',
  `printf 'token is %s%s\\n' ghp_ ${token.slice(4)}`,
  // As a program would print the key of its driver, coloured in the middle.
  `printf '%s\\033[1m%s\\033[0m\\n' ${own.slice(0, half)} ${own.slice(half)}`,
  `printf '%s%s\\n' ghp_ ${token.slice(4)}`,
];
const policy: ScriptedPolicy = ({ answers }) => {
  const session = { computer_ip: 'local', session_id: 'main' };
  if (answers === 0) return { calls: [{ name: 'create_session', arguments: session }] };
  const command = commands[answers - 1];
  if (command === undefined) return { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] };
  return {
    calls: [{ name: 'run_command', arguments: { ...session, command, wait_for_completion: true } }],
  };
};

it('a run that has seen a secret says so once, with kind and step and without the secret', async () => {
  const stand = await EndpointsStand.open({ Model: { policy } });
  stands.push(stand);
  stand.keys.set('Model', own);
  const run = await stand.start('Model');
  await stand.drive(run);
  expect(await stand.store.reader.run(run)).toMatchObject({ state: 'finished' });
  const seen = await stand.of(run, 'secret.seen');
  expect(seen).toEqual([
    { step: 3, kinds: [{ kind: 'service_token', count: 1 }] },
    { step: 4, kinds: [{ kind: 'known', count: 1 }] },
  ]);
  const { items } = await stand.store.reader.attention(run);
  const told = items.filter(({ kind }) => kind === 'secret_seen');
  expect(told.map(({ step, urgency, facts }) => [step, urgency, facts])).toEqual([
    [4, 1, { kinds: 'known', count: 1 }],
    [3, 2, { kinds: 'service_token', count: 1 }],
  ]);
  for (const secret of [own, token]) expect(JSON.stringify([seen, told])).not.toContain(secret);
  expect(await stand.problems(run)).toEqual([]);
}, 60_000);
