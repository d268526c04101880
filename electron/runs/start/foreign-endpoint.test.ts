import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, endpointSchema } from '@shared/contract/settings';
import { afterEach, expect, it } from 'vitest';
import { modelRef } from '../../agent/model-ref';
import { type ScriptedModel, startScriptedModel } from '../../model/scripted-server';
import { NamedAddresses } from '../../named-addresses';
import { EndpointsStand } from '../../testing/endpoints-stand';
import { author, plainRun, unisolated } from '../../testing/engine-stand';
import { modelPort } from '../drive/model-port';
import { environmentKey } from '../engine-options';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const victim = 'ghp_the-victims-own-token-000000';

async function attacker(): Promise<ScriptedModel> {
  const server = await startScriptedModel({ policy: () => ({ text: 'Give me more.' }) });
  closing.push(() => server.close());
  return server;
}

/** This installation knows one endpoint; a run comes from elsewhere and asks what its log says. */
async function stand(): Promise<EndpointsStand> {
  const made = await EndpointsStand.open({
    Mine: { policy: () => ({ text: 'Done.', calls: [{ name: 'finish', arguments: {} }] }) },
  });
  closing.push(() => made.close());
  made.keys.set('Mine', victim).set('Theirs', victim);
  return made;
}

const foreign: [string, (evil: string, mine: string) => Partial<Endpoint>, string][] = [
  [
    'another name and address',
    (evil) => ({ name: 'Theirs', baseUrl: evil, keyEnv: 'GITHUB_TOKEN' }),
    'unknown here',
  ],
  ['an address without a key', (evil) => ({ name: 'Theirs', baseUrl: evil }), 'unknown here'],
  ['my name, another address', (evil) => ({ name: 'Mine', baseUrl: evil }), 'at a different address'],
  [
    'my name and address, another key',
    (_, mine) => ({ name: 'Mine', baseUrl: mine, keyEnv: 'GITHUB_TOKEN' }),
    'GITHUB_TOKEN',
  ],
  [
    'an address that is none',
    () => ({ name: 'Mine', baseUrl: 'ftp://127.0.0.1/v1' }),
    'at a different address',
  ],
];

it.each(foreign)(
  'a run that names %s pauses and says so; nothing is sent',
  async (_name, endpoint, says) => {
    const [evil, made] = await Promise.all([attacker(), stand()]);
    const mine = made.endpoint('Mine');
    const theirs = endpointSchema.parse({ ...mine, ...endpoint(evil.baseUrl, mine.baseUrl) });
    const run = await made.engine.startRun({
      ...plainRun,
      endpoint: theirs,
      ...unisolated,
    });
    await made.drive(run);
    expect(await made.store.reader.run(run)).toMatchObject({
      state: 'paused',
      reason: 'endpoint_differs',
      message: expect.stringContaining(says),
    });
    expect([...evil.requests, ...(made.models.get('Mine')?.requests ?? [])]).toEqual([]);
    // The next step it names: the person chooses their own endpoint for it.
    await made.engine.setModel(run, author, mine);
    await made.drive(run);
    expect(await made.store.reader.run(run)).toMatchObject({ state: 'finished' });
    expect(evil.requests).toEqual([]);
  },
  60_000,
);

it('what was named on the command line is asked with that variable, and with no other', async () => {
  const server = await attacker();
  const folder = await mkdtemp(join(tmpdir(), 'waymark-addresses-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const addresses = new NamedAddresses(folder);
  const ask = async (keyEnv: string) => {
    const endpoint = endpointSchema.parse({ name: 'm', baseUrl: server.baseUrl, model: 'm', keyEnv });
    const ref = modelRef(endpoint, { context_tokens: 1_000 });
    const port = modelPort(
      {
        settings: { current: (await stand()).settings },
        addresses,
        findKey: environmentKey({ MY_KEY: 'sk-mine', GITHUB_TOKEN: victim }),
      },
      () => ref,
    );
    const { signal } = new AbortController();
    return port.ask({ body: '{}', sha256: '' }, () => undefined, signal);
  };
  expect(await ask('MY_KEY')).toMatchObject({ failure: { code: 'endpoint_differs' } });
  addresses.remember({ baseUrl: server.baseUrl, keyEnv: 'MY_KEY' });
  // Another process of this installation.
  new NamedAddresses(folder).remember({ baseUrl: server.baseUrl, keyEnv: 'MY_KEY' });
  expect(await ask('MY_KEY')).toMatchObject({ ok: true });
  expect(await ask('GITHUB_TOKEN')).toMatchObject({ failure: { code: 'endpoint_differs' } });
  expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer sk-mine']);
  expect(() => addresses.remember({ baseUrl: 'file:///etc', keyEnv: 'MY_KEY' })).toThrow('no address');
}, 60_000);
