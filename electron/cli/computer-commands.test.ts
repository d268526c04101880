import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostReport, HostResolution, StageView } from '@shared/contract/computers';
import { taskSpecSchema } from '@shared/contract/task';
import { ulid } from 'ulid';
import { afterEach, describe, expect, it } from 'vitest';
import type { Hosts } from '../computer/hosts';
import { noHosts } from '../runs/start/no-hosts';
import { SettingsFile } from '../settings-file';
import { openStoreInProcess } from '../store/threads/in-process';
import { createdBody, RunWriter } from '../testing/run-writer';
import { parseArguments } from './arguments';
import { computerCommand } from './computer-commands';
import { placesFor } from './run-commands';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

const stage = (name: StageView['stage'], state: StageView['state'], message: string): StageView => ({
  stage: name,
  state,
  message,
  via: null,
  ms: state === 'ok' ? 12.4 : null,
});

async function stand(over: { ok?: boolean; needsOpenSsh?: string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-computers-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const workspace = join(folder, 'workspace');
  const { ok = true, needsOpenSsh = [] } = over;
  const tested: string[] = [];
  const said: string[] = [];
  const stages = ok
    ? [
        stage('resolve', 'ok', '10.0.0.3'),
        stage('tcp', 'ok', 'Connected.'),
        stage('gpu', 'skipped', 'No GPUs.'),
      ]
    : [stage('resolve', 'ok', '10.0.0.3'), stage('tcp', 'failed', 'Nobody answers at port 22.')];
  const resolution: HostResolution = {
    alias: 'gpu-03',
    user: 'ada',
    hostName: '10.0.0.3',
    port: 22,
    jumps: ['jump'],
    proxyCommand: null,
    identityFiles: [],
    knownHostsFiles: [],
    settings: [],
    needsOpenSsh,
  };
  const hosts: Hosts = {
    ...noHosts(),
    resolve: async (alias) => ({ ...resolution, alias }),
    test: async (alias, transport, onStages) => {
      tested.push(`${alias} ${transport}`);
      for (let shown = 1; shown <= stages.length; shown += 1) onStages(stages.slice(0, shown));
      const report: HostReport = { alias, transport, at: 1, ok, stages, facts: null, limits: ['No perl.'] };
      return report;
    },
  };
  const settings = await SettingsFile.open(folder);
  const terminal = {
    out: () => undefined,
    err: (line: string) => void said.push(line),
    write: async () => true,
  };
  const command = (...words: string[]) =>
    computerCommand({ settings, hosts, terminal, folder: workspace }, parseArguments(['computer', ...words]));
  const stored = async () => (await SettingsFile.open(folder)).current.computers;
  return { command, tested, said, stored, workspace };
}

describe('computer', () => {
  it('adds a host after a test whose stages are told as they end, lists it, removes it', async () => {
    const { command, tested, said, stored } = await stand();
    expect((await command('list')).lines[0]).toContain('No computers yet');
    const added = await command('add', 'gpu-03');
    expect(added.lines).toEqual(['No perl.', 'Added gpu-03 (ssh2).']);
    expect(tested).toEqual(['gpu-03 ssh2']);
    expect(said).toEqual([
      'gpu-03 is ada@10.0.0.3:22 via jump.',
      'ok    name      10.0.0.3 (12 ms)',
      'ok    network   Connected. (12 ms)',
      '-     GPUs      No GPUs.',
    ]);
    expect(await stored()).toMatchObject([{ alias: 'gpu-03', transport: 'ssh2' }]);
    expect((await command('list')).json).toMatchObject({ computers: [{ alias: 'gpu-03' }] });
    await expect(command('add', 'gpu-03')).rejects.toMatchObject({ code: 'already_exists' });
    await command('remove', 'gpu-03');
    expect(await stored()).toEqual([]);
    await expect(command('remove', 'gpu-03')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps a host while a run of the workspace is driven on it', async () => {
    const { command, stored, workspace } = await stand();
    await command('add', 'gpu-03');
    const store = openStoreInProcess(workspace);
    closing.push(() => store.close());
    const run = ulid();
    const computers = [{ name: 'worker', kind: 'ssh' as const, host: 'gpu-03' }];
    await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), computers } }]);
    const lock = store.lockRun(run);
    const writer = new RunWriter(store, run);
    await writer.start();
    await writer.request();
    await expect(command('remove', 'gpu-03')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('driven on it: A run. Pause it first.'),
    });
    expect(await stored()).toHaveLength(1);
    const body = { status: 'paused' as const, reason: null, message: 'Paused' };
    await writer.record([{ kind: 'run.status', body }]);
    lock?.release();
    await command('remove', 'gpu-03');
    expect(await stored()).toEqual([]);
  });

  it('does not keep a host that fails its test, unless it is not tested', async () => {
    const { command, tested, stored } = await stand({ ok: false });
    await expect(command('add', 'gpu-03')).rejects.toMatchObject({
      code: 'computer_unavailable',
      message: expect.stringMatching(/was not added: Nobody answers at port 22\..*--no-test/),
    });
    expect(await stored()).toEqual([]);
    await command('add', 'gpu-03', '--no-test');
    expect(await stored()).toHaveLength(1);
    expect(tested).toHaveLength(1);
    expect(await command('test', 'gpu-03')).toMatchObject({
      exitCode: 1,
      json: { ok: false },
      lines: ['Nobody answers at port 22.'],
    });
  });

  it('takes the client a host needs, and refuses the other by name', async () => {
    const { command, tested, stored } = await stand({ needsOpenSsh: ['CertificateFile'] });
    await expect(command('add', 'gpu-03', '--transport', 'ssh2')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('CertificateFile'),
    });
    await command('add', 'gpu-03');
    expect(tested).toEqual(['gpu-03 openssh']);
    expect(await stored()).toMatchObject([{ transport: 'openssh' }]);
  });

  it('refuses what is no host', async () => {
    const { command } = await stand();
    for (const words of [['add', '--', '-oProxyCommand=x'], ['add', 'local'], ['add'], ['fly', 'x']]) {
      await expect(command(...words)).rejects.toMatchObject({ code: 'bad_input' });
    }
  });
});

describe('run start --computer', () => {
  const spec = (...names: string[]) =>
    taskSpecSchema.parse({
      id: 't',
      title: 'T',
      evaluation: { command: 'true', inputs: ['**'] },
      computers: [
        ...names.map((name) => ({ name, host: name, type: 'cpu' })),
        { name: 'judge', host: 'judge', type: 'cpu', evaluator: true },
      ],
    });

  it('needs no name with one computer, and one with several', () => {
    expect(placesFor(spec('worker'), [])).toEqual({});
    expect(placesFor(spec('worker'), ['gpu-03'])).toEqual({ worker: 'gpu-03' });
    expect(placesFor(spec('worker'), ['worker=ada@host=x', 'judge=local'])).toEqual({
      worker: 'ada@host=x',
      judge: 'local',
    });
    expect(placesFor(spec('a', 'b'), ['a=gpu-03', 'b=local'])).toEqual({ a: 'gpu-03', b: 'local' });
    expect(() => placesFor(spec('a', 'b'), ['gpu-03'])).toThrow(
      /several computers \(a, b\).*--computer a=gpu-03/,
    );
    expect(() => placesFor(spec('a'), ['x', 'y'])).toThrow(/twice/);
  });
});
