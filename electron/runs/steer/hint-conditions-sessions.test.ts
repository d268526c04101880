import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WaitingHint } from '@shared/runs/hint-queue';
import { afterEach, expect, it } from 'vitest';
import { LocalComputer } from '../../computer/local/local-computer';
import type { Computer } from '../../computer/port';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { AwayComputer } from '../../testing/away-computer';
import { eventually } from '../../testing/deadline';
import { SessionIdle } from './hint-conditions';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function computers() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-idle-')));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const make = (name: string) => {
    const computer = new LocalComputer({
      name,
      sessionsDir: join(folder, name),
      resourcesDir,
      environment: { PATH: process.env.PATH, HOME: folder },
    });
    closing.push(async () => {
      for (const { name: session } of await computer.sessions.list()) await computer.sessions.close(session);
      await computer.dispose();
    });
    return computer;
  };
  const local = make('local');
  const gpu = new AwayComputer('gpu', make('gpu'));
  const all = new Map<string, Computer>([
    ['local', local],
    ['gpu', gpu],
  ]);
  const open = (computer: LocalComputer | AwayComputer, name: string) =>
    computer.sessions.create({ name, cwd: folder, env: {}, rows: 24, cols: 80, profile: false });
  return { folder, local, gpu, open, idle: new SessionIdle(all), again: () => new SessionIdle(all) };
}

const hint = (computer: string, session: string, at = Date.now()): WaitingHint => ({
  id: 'h',
  text: 'x',
  due: null,
  deliver: { when: 'session_idle', computer, session },
  set: { entry: `${computer}/${session}`, seq: 1, at },
});
const job = (file: string) => `while [ ! -e ${file} ]; do sleep 0.02; done`;
const why = async (idle: SessionIdle, ...hints: WaitingHint[]) => [...(await idle.look(hints)).values()];

it('is idle again once the job is over; a session that was idle all along is not', async () => {
  const { folder, local, gpu, open, idle } = await computers();
  await open(local, 'main');
  await open(gpu, 'train');
  const waiting = [hint('local', 'main'), hint('gpu', 'train'), hint('', '')];
  expect(await why(idle, ...waiting)).toEqual([]);
  const { commandSeq } = await gpu.sessions.run('train', job('go'));
  expect(await why(idle, ...waiting)).toEqual([]);
  await writeFile(join(folder, 'go'), '');
  await gpu.sessions.waitCommand('train', commandSeq, {});
  await eventually('the session is idle', async () => (await gpu.sessions.state('train')).state === 'idle');
  const held = await idle.look(waiting);
  expect([...held.keys()]).toEqual(['gpu/train', '/']);
  expect(held.get('/')).toBe('train on gpu is idle again');
}, 60_000);

it('knows of a command that began and ended between two looks, and of none before the hint', async () => {
  const { local, open, again } = await computers();
  await open(local, 'main');
  const { commandSeq } = await local.sessions.run('main', 'true');
  const { endedAt } = await local.sessions.waitCommand('main', commandSeq, {});
  await eventually('the session is idle', async () => (await local.sessions.state('main')).state === 'idle');
  const ended = endedAt ?? Number.NaN;
  expect(await why(again(), hint('local', 'main', ended + 1))).toEqual([]);
  expect(await why(again(), hint('local', 'main', ended - 1))).toEqual(['main on local is idle again']);
}, 60_000);

it('a shell that exited counts, a host that is away does not, and comes up when it is back', async () => {
  const { folder, gpu, open, idle } = await computers();
  await open(gpu, 'train');
  const waiting = hint('gpu', 'train');
  await gpu.sessions.run('train', `${job('go')}; exit 3`);
  expect(await why(idle, waiting)).toEqual([]);
  gpu.link = 'down';
  await writeFile(join(folder, 'go'), '');
  expect(await why(idle, waiting)).toEqual([]);
  gpu.link = 'good';
  await eventually('the job is over', async () => (await why(idle, waiting)).length === 1);
}, 60_000);
