import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostReport, StageView, TransportKind } from '@shared/contract/computers';
import { idleHealth } from '@shared/contract/idle-health';
import type { CommandName } from '@shared/contract/ipc';
import { commands } from '@shared/contract/ipc';
import type { RunState, RunSummary } from '@shared/contract/views';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HostReportFile } from '../app/host-report-file';
import type { Hosts } from '../computer/hosts';
import { PromptDesk } from '../computer/ssh/login/prompt-desk';
import { SettingsFile } from '../settings-file';
import type { Workbench } from '../workbench';
import { computerHandlers } from './computers';

const stages: StageView[] = [{ stage: 'tcp', state: 'ok', message: 'Answered.', via: null, ms: 3 }];
const report = (alias: string, transport: TransportKind): HostReport => ({
  alias,
  transport,
  at: 7,
  ok: true,
  stages,
  facts: null,
  limits: [],
});

/** Hosts whose tests end when the test says so. */
class StagedHosts implements Hosts {
  readonly retried: (string | undefined)[] = [];
  release: (() => void)[] = [];

  computer(): never {
    throw new Error('no computer is opened here');
  }
  health = idleHealth;
  allHealth = () => [];
  onHealth = () => () => undefined;
  retryNow = (alias?: string) => {
    this.retried.push(alias);
  };
  resolve = (): never => {
    throw new Error('nothing is resolved here');
  };
  candidates = async () => ['gpu-03', 'gpu-04', 'bastion'];
  async test(
    alias: string,
    transport: TransportKind,
    onStages: (stages: StageView[]) => void,
    signal: AbortSignal,
  ): Promise<HostReport> {
    onStages(stages);
    await new Promise<void>((resolve) => {
      this.release.push(resolve);
      signal.addEventListener('abort', () => resolve());
    });
    onStages(stages);
    return report(alias, transport);
  }
  dispose = async () => undefined;
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-computers-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function stand(runs: { title: string; state: RunState; host: string }[] = []) {
  const settings = await SettingsFile.open(folder);
  const hosts = new StagedHosts();
  const prompts = new PromptDesk(() => 1);
  const warnings: string[] = [];
  const reports = await HostReportFile.open(join(folder, 'computers.json'), [], (text) => {
    warnings.push(text);
  });
  const published: string[] = [];
  const asked: string[] = [];
  const person = { trusts: true };
  const summaries = runs.map(({ title, state, host }) => ({
    title,
    state,
    computers: [{ name: 'a', kind: 'ssh', host }],
  }));
  const bench = { store: { reader: { runs: async () => summaries as RunSummary[] } } } as Workbench;
  const handlers = computerHandlers({
    hosts,
    settings,
    prompts,
    trustHostKey: async (prompt) => {
      asked.push(prompt.key?.sha256 ?? '');
      return person.trusts;
    },
    reports,
    publisher: { publish: (event) => published.push(event) },
    holder: { current: bench },
    terminals: { namesOn: async (alias) => (alias === 'gpu-05' ? ['terminal-1'] : []) },
    now: () => 42,
  });
  return { handlers, hosts, settings, prompts, asked, person, reports, published, warnings };
}

const ssh2 = (alias: string) => ({ alias, transport: 'ssh2' as const });

describe('the list of computers', () => {
  it('keeps what is added in the settings, and takes nothing twice', async () => {
    const { handlers, settings } = await stand();
    expect(await handlers['computers.add'](ssh2('gpu-03'))).toEqual({
      ...ssh2('gpu-03'),
      addedAt: 42,
      health: idleHealth('gpu-03'),
      report: null,
    });
    await expect(handlers['computers.add']({ alias: 'gpu-03', transport: 'openssh' })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(settings.current.computers).toEqual([{ ...ssh2('gpu-03'), addedAt: 42 }]);
    const stored = await SettingsFile.open(folder);
    expect(stored.current.computers).toEqual(settings.current.computers);
    expect(await handlers['computers.list'](undefined)).toHaveLength(1);
    expect(await handlers['computers.candidates'](undefined)).toEqual(['gpu-04', 'bastion']);
  });

  it('keeps a host that can be reached while terminals of the person are open there', async () => {
    const { handlers, hosts } = await stand();
    await handlers['computers.add'](ssh2('gpu-05'));
    hosts.health = (alias) => ({ ...idleHealth(alias), state: 'good' });
    await expect(handlers['computers.remove']({ alias: 'gpu-05' })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('terminal-1'),
    });
    hosts.health = (alias) => ({ ...idleHealth(alias), state: 'down' });
    await handlers['computers.remove']({ alias: 'gpu-05' });
    expect(await handlers['computers.list'](undefined)).toEqual([]);
  });

  it('removes, and refuses what is not there', async () => {
    const { handlers, settings } = await stand();
    await handlers['computers.add'](ssh2('gpu-03'));
    await handlers['computers.remove']({ alias: 'gpu-03' });
    expect(settings.current.computers).toEqual([]);
    await expect(handlers['computers.remove']({ alias: 'gpu-03' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is not changed under a run that some process drives on the host', async () => {
    const { handlers, settings } = await stand([
      { title: 'Waits', state: 'waiting_host', host: 'gpu-03' },
      { title: 'Rests', state: 'paused', host: 'gpu-04' },
    ]);
    await handlers['computers.add'](ssh2('gpu-03'));
    await handlers['computers.add'](ssh2('gpu-04'));
    const refused = { code: 'refused', message: expect.stringContaining('Waits') };
    await expect(handlers['computers.remove']({ alias: 'gpu-03' })).rejects.toMatchObject(refused);
    await expect(
      handlers['computers.setTransport']({ alias: 'gpu-03', transport: 'openssh' }),
    ).rejects.toMatchObject(refused);
    await handlers['computers.setTransport']({ alias: 'gpu-04', transport: 'openssh' });
    expect(settings.current.computers.map(({ transport }) => transport)).toEqual(['ssh2', 'openssh']);
    await handlers['computers.remove']({ alias: 'gpu-04' });
    expect(settings.current.computers.map(({ alias }) => alias)).toEqual(['gpu-03']);
  });
});

describe('a test', () => {
  it('streams its stages and is remembered for hosts that are added, also after a restart', async () => {
    const { handlers, hosts, published, reports } = await stand();
    await handlers['computers.add'](ssh2('gpu-03'));
    const tested = handlers['computers.test'](ssh2('gpu-03'));
    const passing = handlers['computers.test'](ssh2('gpu-04'));
    expect(published).toEqual(['computer.stage', 'computer.stage']);
    for (const release of hosts.release) release();
    expect(await tested).toMatchObject({ ok: true });
    await passing;
    expect((await handlers['computers.list'](undefined))[0]?.report).toMatchObject({ at: 7 });
    const path = join(folder, 'computers.json');
    const again = await HostReportFile.open(path, ['gpu-03', 'gpu-04'], () => undefined);
    expect(again.get('gpu-03')).toEqual(reports.get('gpu-03'));
    expect(again.get('gpu-04')).toBeNull();
  });

  it('made before its host is added belongs to it then', async () => {
    const { handlers, hosts } = await stand();
    const tested = handlers['computers.test'](ssh2('gpu-03'));
    hosts.release[0]?.();
    await tested;
    expect((await handlers['computers.add'](ssh2('gpu-03'))).report).toMatchObject({ at: 7 });
    const path = join(folder, 'computers.json');
    expect((await HostReportFile.open(path, ['gpu-03'], () => undefined)).get('gpu-03')).not.toBeNull();
  });

  it('is cancelled by name, tells nothing more and is not remembered', async () => {
    const { handlers, published, reports } = await stand();
    const tested = handlers['computers.test'](ssh2('gpu-03'));
    await handlers['computers.cancelTest']({ alias: 'gpu-04' });
    await handlers['computers.cancelTest']({ alias: 'gpu-03' });
    await expect(tested).rejects.toMatchObject({ code: 'cancelled' });
    expect(published).toHaveLength(1);
    expect(reports.get('gpu-03')).toBeNull();
  });

  it('gives way to a newer one of the same host', async () => {
    const { handlers, hosts } = await stand();
    const first = handlers['computers.test'](ssh2('gpu-03'));
    const second = handlers['computers.test']({ alias: 'gpu-03', transport: 'openssh' });
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    hosts.release[1]?.();
    expect(await second).toMatchObject({ transport: 'openssh' });
  });

  it('whose record is damaged is forgotten and said, and the next one is kept', async () => {
    const path = join(folder, 'computers.json');
    await writeFile(path, '[{"alias": 3}]');
    const warnings: string[] = [];
    const reports = await HostReportFile.open(path, ['gpu-03'], (text) => warnings.push(text));
    expect(reports.get('gpu-03')).toBeNull();
    expect(warnings).toEqual([expect.stringContaining(path)]);
    await reports.put(report('gpu-03', 'ssh2'));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual([report('gpu-03', 'ssh2')]);
  });
});

describe('links and questions', () => {
  it('are tried again at once, one or all', async () => {
    const { handlers, hosts } = await stand();
    await handlers['computers.retryNow']({ alias: 'gpu-03' });
    await handlers['computers.networkChanged'](undefined);
    expect(hosts.retried).toEqual(['gpu-03', undefined]);
  });

  it('are answered by id', async () => {
    const { handlers, prompts } = await stand();
    const asked = prompts.ask(
      { kind: 'password', alias: 'gpu-03', target: 'g@h:22', attempt: 1 },
      new AbortController().signal,
    );
    const [open] = await handlers['computers.prompts'](undefined);
    await handlers['computers.answer']({ id: open?.id ?? '', answer: { texts: ['pw'] } });
    expect(await asked).toEqual({ texts: ['pw'] });
    await expect(handlers['computers.answer']({ id: open?.id ?? '', answer: null })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a key that a host shows for the first time', () => {
  const question = {
    kind: 'unknown_host_key' as const,
    alias: 'gpu-03',
    target: 'g@h:22',
    keyType: 'ssh-ed25519',
    sha256: 'SHA256:abc',
    file: '/home/g/.ssh/known_hosts',
  };

  it("is recorded after the main process's own question only, whatever the window says", async () => {
    const { handlers, prompts, asked, person } = await stand();
    const trusted = prompts.ask(question, new AbortController().signal);
    const [open] = await handlers['computers.prompts'](undefined);
    const trust = () => handlers['computers.answer']({ id: open?.id ?? '', answer: { trust: true } });
    person.trusts = false;
    await expect(trust()).rejects.toMatchObject({ code: 'cancelled' });
    expect(prompts.open()).toHaveLength(1);
    person.trusts = true;
    await trust();
    expect(await trusted).toEqual({ trust: true });
    expect(asked).toEqual(['SHA256:abc', 'SHA256:abc']);
  });

  it('is declined without a question, and no other question is answered with trust', async () => {
    const { handlers, prompts, asked } = await stand();
    const declined = prompts.ask(question, new AbortController().signal);
    const password = { kind: 'password' as const, alias: 'gpu-03', target: 'g@h:22', attempt: 1 };
    prompts.ask(password, new AbortController().signal).catch(() => undefined);
    const [key, secret] = await handlers['computers.prompts'](undefined);
    await handlers['computers.answer']({ id: key?.id ?? '', answer: null });
    expect(await declined).toBeNull();
    const misfit = handlers['computers.answer']({ id: secret?.id ?? '', answer: { trust: true } });
    await expect(misfit).rejects.toMatchObject({ code: 'bad_input' });
    expect(asked).toEqual([]);
  });
});

describe('the contract', () => {
  const accepted = (command: CommandName, input: unknown) => commands[command].input.safeParse(input).success;

  it.each([
    ['-oProxyCommand=touch /tmp/x'],
    ['gpu 03'],
    ['gpu\n03'],
    ['local'],
    [''],
    ['x'.repeat(256)],
    ['gpu\u000003'],
    [3],
  ])('takes no alias %j', (alias) => {
    expect(accepted('computers.add', { alias, transport: 'ssh2' })).toBe(false);
    expect(accepted('computers.test', { alias, transport: 'ssh2' })).toBe(false);
    expect(accepted('computers.resolve', { alias })).toBe(false);
  });

  it('takes only answers there are', () => {
    const answer = (value: unknown) => accepted('computers.answer', { id: 'prompt-1', answer: value });
    expect(answer({ texts: ['a'] })).toBe(true);
    expect(answer({ trust: true })).toBe(true);
    expect(answer(null)).toBe(true);
    expect(answer({ trust: false })).toBe(false);
    expect(answer({ texts: ['x'.repeat(4097)] })).toBe(false);
    expect(answer({ texts: Array.from({ length: 17 }, () => 'x') })).toBe(false);
    expect(answer('yes')).toBe(false);
  });

  it('knows two transports', () => {
    expect(accepted('computers.add', { alias: 'gpu-03', transport: 'telnet' })).toBe(false);
  });
});
