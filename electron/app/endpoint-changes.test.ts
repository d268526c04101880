import { type Endpoint, endpointSchema } from '@shared/contract/settings';
import { expect, it } from 'vitest';
import { EndpointChanges, type KeyMove } from './endpoint-changes';
import { KeyStore } from './key-store';

const own = 'https://own.example';
const evil = 'http://127.0.0.1:9';
const system = { available: () => false, seal: () => Buffer.alloc(0), open: () => '' };
const endpoint = (name: string, origin: string, keyEnv = ''): Endpoint =>
  endpointSchema.parse({ name, baseUrl: `${origin}/v1`, model: 'm', keyEnv });

/** Settings with a stored key, a variable and an endpoint without a key; every question is answered with `answer`. */
async function stand(answer: boolean) {
  const keys = new KeyStore({
    folder: '/nowhere',
    env: { MY_KEY: 'v', GITHUB_TOKEN: 'g' },
    system,
    originOf: () => '',
  });
  await keys.set('Kept', 'sk-kept', own);
  const current = [endpoint('Kept', own), endpoint('Var', own, 'MY_KEY'), endpoint('Open', own)];
  const asked: KeyMove[] = [];
  const changes = new EndpointChanges({
    current: () => current,
    keys,
    confirm: async (move) => {
      asked.push(move);
      return answer;
    },
  });
  return { keys, current, asked, changes };
}

it.each<[string, Endpoint[], Partial<KeyMove>]>([
  [
    'a kept key elsewhere',
    [endpoint('Kept', evil)],
    { endpoint: 'Kept', variable: '', from: [own], to: evil },
  ],
  ['another port', [endpoint('Kept', `${own}:444`)], { to: `${own}:444` }],
  ['without TLS', [endpoint('Kept', 'http://own.example')], { to: 'http://own.example' }],
  ['a variable elsewhere', [endpoint('Var', evil, 'MY_KEY')], { variable: 'MY_KEY', from: [own], to: evil }],
  [
    'another variable',
    [endpoint('Var', own, 'GITHUB_TOKEN')],
    { variable: 'GITHUB_TOKEN', from: [], to: own },
  ],
  ['a new endpoint', [endpoint('New', evil, 'GITHUB_TOKEN')], { variable: 'GITHUB_TOKEN', to: evil }],
  ['a variable where a key was', [endpoint('Kept', own, 'MY_TOKEN')], { variable: 'MY_TOKEN', to: own }],
])('asks the person before a key goes where it did not go: %s', async (_name, next, move) => {
  const no = await stand(false);
  await expect(no.changes.allow(next)).rejects.toMatchObject({ code: 'refused' });
  expect(no.asked).toMatchObject([move]);
  expect(no.keys.originFor('Kept')).toBe(own);
  const yes = await stand(true);
  await yes.changes.allow(next);
  expect(yes.asked).toMatchObject([move]);
});

it('gives a kept key its new origin after a yes only', async () => {
  const { changes, keys } = await stand(true);
  await changes.allow([endpoint('Kept', evil)]);
  expect(keys.originFor('Kept')).toBe(evil);
});

it.each([
  'ftp://own.example',
  'http://me:pw@own.example',
  'https://own.example/v1?key=sk-1',
  'https://own.example/v1#x',
])('takes no address that cannot be recorded with a run: %s', async (baseUrl) => {
  const { changes, current } = await stand(true);
  const next = current.map((each) => (each.name === 'Open' ? { ...each, baseUrl } : each));
  await expect(changes.allow(next)).rejects.toMatchObject({ code: 'bad_input' });
});

it('asks nothing where no key moves', async () => {
  const { changes, current, asked } = await stand(false);
  await changes.allow(current);
  await changes.allow([endpoint('Open', evil), endpoint('Second', own, 'MY_KEY'), endpoint('Other', evil)]);
  await changes.allow([
    endpointSchema.parse({ ...endpoint('Kept', own), baseUrl: `${own}/v2`, temperature: 0 }),
  ]);
  expect(asked).toEqual([]);
});

it('leaves a locked key where it is', async () => {
  const locked = { originFor: () => null, bind: async () => undefined, isLocked: () => true };
  const confirm = () => Promise.reject(new Error('asked'));
  const changes = new EndpointChanges({ current: () => [endpoint('A', own)], keys: locked, confirm });
  await changes.allow([endpoint('A', own)]);
  for (const next of [endpoint('A', evil), endpoint('B', evil)])
    await expect(changes.allow([next])).rejects.toMatchObject({ message: expect.stringContaining('locked') });
});

it.each([
  ['https://own.ex\u0430mple', 'own.xn--exmple-4nf'],
  ['https://own.ex%61mple', 'own.example'],
  ['http://2130706433', '127.0.0.1'],
  ['http://127.1:8080', '127.0.0.1:8080'],
  ['https://\uff4fwn.example', 'own.example'],
])('an address that only looks like %s is refused with what it means', async (typed, meant) => {
  const { changes, asked } = await stand(true);
  const refused = changes.allow([endpoint('New', typed)]);
  await expect(refused).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(`write ${meant}.`),
  });
  expect(asked).toEqual([]);
});

it.each([
  ['http://LOCALHOST:11434'],
  ['https://own.example:443'],
  ['http://[::1]:8080'],
  ['https://own.xn--exmple-4nf'],
])('an address that is what it looks like is taken: %s', async (typed) => {
  const { changes } = await stand(true);
  await changes.allow([endpoint('New', typed)]);
});
