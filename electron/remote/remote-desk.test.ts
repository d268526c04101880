import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endpointSchema } from '@shared/contract/settings';
import type { RunSummary } from '@shared/contract/views';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runLockPath } from '../files/workspace-paths';
import { type ScriptedModel, startScriptedModel } from '../model/scripted-server';
import { isLockHeld } from '../store/log/run-lock';
import { eventually } from '../testing/deadline';
import { ProgramTransport } from '../testing/program-transport';
import { cliEntry, RemoteWindow, requireBuilt, waymark } from '../testing/remote-stand';
import { temporaryFolder } from '../testing/store-fixtures';
import { writeTaskPackage } from '../testing/task-package';

/** Steps the model may still answer; each run thinks until it may go on. */
let allowed = 0;
let waiting: (() => void)[] = [];
let model: ScriptedModel;

function allow(steps: number): void {
  allowed += steps;
  for (const go of waiting.splice(0)) go();
}

async function turn(): Promise<void> {
  while (allowed === 0) await new Promise<void>((resolve) => waiting.push(resolve));
  allowed -= 1;
}

beforeAll(async () => {
  requireBuilt();
  model = await startScriptedModel({
    policy: async ({ answers }) => {
      await turn();
      return { text: `Step ${answers + 1}.`, calls: [{ name: 'think', arguments: { content: 'on' } }] };
    },
  });
});
afterAll(() => model.close());

interface Stand {
  folder: string;
  workspace: string;
  server: Record<string, string>;
  transport: ProgramTransport;
  window(name: string, transport?: ProgramTransport): RemoteWindow;
  open(window: RemoteWindow): ReturnType<RemoteWindow['desk']['open']>;
  start(window: RemoteWindow): Promise<string>;
}

/** A window at a run of the server that has taken its first step. */
async function atFirstStep(): Promise<Stand & { ada: RemoteWindow; run: string }> {
  const all = await stand();
  const ada = all.window('Ada');
  await all.open(ada);
  const run = await all.start(ada);
  allow(1);
  await steps(ada, run, 1);
  return { ...all, ada, run };
}

async function stand(): Promise<Stand> {
  allowed = 0;
  waiting = [];
  const folder = temporaryFolder();
  const workspace = join(folder, "the server's work");
  const server = { WAYMARK_DATA: join(folder, 'server'), HOME: folder };
  const transport = new ProgramTransport(server);
  const endpoint = endpointSchema.parse({ name: 'Scripted', baseUrl: model.baseUrl, model: 'scripted' });
  await waymark(
    server,
    'task',
    'add',
    await writeTaskPackage(join(folder, 'package')),
    '--workspace',
    workspace,
  );
  return {
    folder,
    workspace,
    server,
    transport,
    window: (name, through = transport) => {
      const window = new RemoteWindow({
        data: join(folder, `data-${name}`),
        name,
        transport: () => through,
        endpoints: [endpoint],
      });
      onTestFinished(() => window.desk.dispose());
      return window;
    },
    open: (window) =>
      window.desk.open({ alias: 'box', folder: workspace, command: `'${process.execPath}' '${cliEntry}'` }),
    start: async (window) => {
      const { run } = await window.ask('runs.start', {
        task: 'small',
        endpoint: 'Scripted',
        approvals: 'off',
        isolation: 'none',
        unisolated: true,
      });
      // Whoever drives it hears of the stop, and nothing is left of it when its folder goes.
      onTestFinished(async () => {
        await waymark(server, 'run', 'stop', run, '--workspace', workspace).catch(
          (error: { stdout?: string }) => {
            if (!error.stdout?.includes('run_ended')) throw error;
          },
        );
        await eventually('nobody drives the run', () => !isLockHeld(runLockPath(workspace, run)));
      });
      return run;
    },
  };
}

function steps(window: RemoteWindow, run: string, count: number): Promise<RunSummary> {
  return eventually(`the run has ${count} steps`, async () => {
    const summary = await window.ask('runs.summary', { run });
    return summary.steps >= count ? summary : null;
  });
}

describe('a workspace on a server', () => {
  test('that was copied there is only read until it is trusted on the server', async () => {
    const { window: make, server, workspace, folder } = await stand();
    const copy = join(folder, 'copy');
    await cp(workspace, copy, { recursive: true });
    const place = { alias: 'box', folder: copy, command: `'${process.execPath}' '${cliEntry}'` };
    const window = make('ada');
    await window.desk.open(place);
    expect(await window.ask('workspace.status', undefined)).toMatchObject({ isReadOnly: true });
    const task = { task: 'small', endpoint: 'Scripted', approvals: 'off' } as const;
    await expect(window.ask('runs.start', task)).rejects.toMatchObject({ code: 'read_only' });
    await expect(window.ask('workspace.trust', undefined)).rejects.toMatchObject({ code: 'unsupported' });
    await waymark(server, 'run', 'list', '--workspace', copy, '--trust');
    const later = make('bob');
    await later.desk.open(place);
    expect(await later.ask('workspace.status', undefined)).toMatchObject({ isReadOnly: false });
  });

  test('is followed live, steered, and written to while it is away: everything arrives once, in order', async () => {
    const { window: make, open, start, transport, workspace } = await stand();
    const ada = make('Ada');
    expect(await open(ada)).toMatchObject({ alias: 'box', folder: workspace, state: 'up', waiting: 0 });
    expect(await ada.ask('workspace.status', undefined)).toMatchObject({
      folder: `box:${workspace}`,
      problem: null,
    });
    expect((await ada.ask('tasks.list', undefined)).map(({ id }) => id)).toEqual(['small']);
    await expect(ada.ask('tasks.add', undefined)).rejects.toMatchObject({ code: 'unsupported' });

    const run = await start(ada);
    allow(2);
    await eventually('the window hears of both steps', () =>
      ada.heard('run.changed').some((each) => (each as { steps: number }).steps >= 2),
    );
    await steps(ada, run, 2);
    expect(await ada.ask('timeline.heads', { run, from: 1, to: 2 })).toHaveLength(2);

    const hint = await ada.ask('hints.queue', { run, text: 'Read the data first.', category: 'strategy' });
    expect(hint).toMatchObject({ state: 'queued', author: 'Ada' });
    const label = await ada.ask('labels.apply', { run, from: 1, to: 1, value: 'train', reason: null });
    expect(label).toMatchObject({
      author: { uuid: 'uuid-of-Ada', name: 'Ada' },
      device: expect.stringMatching(/^laptop-of-Ada\./),
      deviceSeq: 1,
    });

    transport.away = true;
    transport.cut();
    await ada.until('the link is down', ({ state }) => state === 'down');
    await expect(ada.ask('runs.list', undefined)).rejects.toMatchObject({
      code: 'computer_unavailable',
      message: expect.stringContaining('box cannot be reached'),
    });
    expect(await ada.ask('workspace.status', undefined)).toMatchObject({ problem: null });
    const late = await ada.ask('hints.queue', { run, text: 'Second thoughts.', category: 'other' });
    expect(late).toMatchObject({ state: 'queued', author: 'Ada', text: 'Second thoughts.' });
    await ada.ask('hints.edit', { run, hint: late.id, text: 'Second thoughts, edited.' });
    const flagged = await ada.ask('labels.flag', { run, step: 2, on: true });
    const comment = await ada.ask('labels.comment', { run, step: 2, text: 'Odd.' });
    await ada.ask('runs.pause', { run, mode: 'now' });
    expect(ada.status().waiting).toBe(5);

    transport.away = false;
    ada.desk.retryNow();
    await ada.until('everything was delivered', ({ state, waiting: left }) => state === 'up' && left === 0);
    expect(ada.status().refused).toEqual([]);
    const { hints } = await ada.ask('hints.list', { run });
    expect(hints.map(({ id, text, author }) => ({ id, text, author }))).toEqual([
      { id: hint.id, text: 'Read the data first.', author: 'Ada' },
      { id: late.id, text: 'Second thoughts, edited.', author: 'Ada' },
    ]);
    const { labels } = await ada.ask('step.detail', { run, step: 2 });
    expect(labels.history.map(({ ulid, deviceSeq }) => ({ ulid, deviceSeq }))).toEqual([
      { ulid: flagged.ulid, deviceSeq: 2 },
      { ulid: comment.ulid, deviceSeq: 3 },
    ]);
    await eventually(
      'the run has paused',
      async () => (await ada.ask('runs.summary', { run })).state === 'paused',
    );
    expect(ada.errors).toEqual([]);
  });

  test('the run does not notice that the link is cut and the window gone', async () => {
    const { window: make, ada, run, transport } = await atFirstStep();
    transport.away = true;
    transport.cut();
    await ada.until('the link is down', ({ state }) => state === 'down');
    await ada.desk.dispose();
    allow(3);
    transport.away = false;
    const later = make('Ada');
    await later.desk.reopen();
    await later.until('the window is back', ({ state }) => state === 'up');
    expect(await steps(later, run, 4)).toMatchObject({ state: 'thinking' });
  });

  test('an answer that was lost on the way is asked for again and stored once', async () => {
    const { window: make, open, ada, run, transport } = await atFirstStep();
    transport.deaf = true;
    const hint = ada.ask('hints.queue', { run, text: 'Only once.', category: 'other' });
    const label = ada.ask('labels.apply', { run, from: 1, to: 1, value: 'mask', reason: null });
    const bo = make('Bo', new ProgramTransport({ WAYMARK_DATA: join(temporaryFolder(), 'x'), HOME: '/' }));
    await open(bo);
    await eventually(
      'the hint is stored',
      async () => (await bo.ask('hints.list', { run })).hints.length === 1,
    );
    transport.cut();
    transport.deaf = false;
    await Promise.all([hint, label]);
    await ada.until('everything was delivered', ({ state, waiting: left }) => state === 'up' && left === 0);
    expect((await ada.ask('hints.list', { run })).hints.map(({ text }) => text)).toEqual(['Only once.']);
    expect((await ada.ask('step.labels', { run, step: 1 })).history).toHaveLength(1);
    expect(ada.status().refused).toEqual([]);
  });

  test('two annotators see what the other writes, each under its own name', async () => {
    const { window: make, open, start, server } = await stand();
    const ada = make('Ada');
    const bo = make('Bo', new ProgramTransport(server));
    await Promise.all([open(ada), open(bo)]);
    const run = await start(ada);
    allow(1);
    await Promise.all([steps(ada, run, 1), steps(bo, run, 1)]);
    await ada.ask('labels.apply', { run, from: 1, to: 1, value: 'train', reason: null });
    await eventually('Bo hears of it', () => bo.heard('labels.changed').length > 0);
    await bo.ask('labels.comment', { run, step: 1, text: 'Why?' });
    await bo.ask('hints.queue', { run, text: 'From Bo.', category: 'question' });
    await eventually(
      'Ada hears of both',
      () => ada.heard('labels.changed').length > 1 && ada.heard('hints.changed').length > 0,
    );
    const { history } = await ada.ask('step.labels', { run, step: 1 });
    expect(history.map(({ author, device, deviceSeq }) => [author.name, device, deviceSeq])).toEqual([
      ['Ada', expect.stringMatching(/^laptop-of-Ada\./), 1],
      ['Bo', expect.stringMatching(/^laptop-of-Bo\./), 1],
    ]);
    expect((await ada.ask('hints.list', { run })).hints).toMatchObject([{ author: 'Bo' }]);
  });

  test('a write that came too late is shown until a person has seen it, also after a restart', async () => {
    const { window: make, open, ada, run, transport, server } = await atFirstStep();
    transport.away = true;
    transport.cut();
    await ada.until('the link is down', ({ state }) => state === 'down');
    await ada.ask('hints.queue', { run, text: 'Too late.', category: 'other' });
    await ada.desk.dispose();

    const bo = make('Bo', new ProgramTransport(server));
    await open(bo);
    await bo.ask('runs.stop', { run });
    await eventually(
      'the run has stopped',
      async () => (await bo.ask('runs.summary', { run })).state === 'stopped',
    );
    transport.away = false;
    const again = make('Ada');
    await again.desk.reopen();
    const { refused } = await again.until('it was refused', (status) => status.refused.length === 1);
    expect(refused).toMatchObject([
      { command: 'hints.queue', run, text: 'Too late.', failure: { code: 'run_ended' } },
    ]);
    await again
      .ask('remote.dismiss', { id: refused[0]?.id ?? '' })
      .catch(() => again.desk.dismiss(refused[0]?.id ?? ''));
    expect(again.status().refused).toEqual([]);
    expect((await again.ask('hints.list', { run })).hints).toEqual([]);
  });

  test('a program that is not there, and a folder that is none, leave the window where it was', async () => {
    const { window: make, workspace, folder } = await stand();
    const ada = make('Ada');
    await expect(
      ada.desk.open({ alias: 'box', folder: workspace, command: 'no-such-waymark' }),
    ).rejects.toMatchObject({
      code: 'computer_unavailable',
      message: expect.stringMatching(/no-such-waymark.*not found/s),
    });
    expect(ada.desk.status()).toBeNull();
    await writeFile(join(folder, 'file'), '');
    await expect(
      ada.desk.open({
        alias: 'box',
        folder: join(folder, 'file', 'below'),
        command: `'${process.execPath}' '${cliEntry}'`,
      }),
    ).rejects.toThrow(/workspace|folder|ENOTDIR/i);
    expect(ada.desk.current).toBeNull();
  });
});
