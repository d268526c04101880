import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { OwnTerminalEvents } from '@shared/contract/ipc/own-terminal';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LocalComputer } from '../computer/local/local-computer';
import { frameBytes } from '../ipc/terminal-screen';
import { cleanLocal } from '../runs/sessions/clean-sessions';
import { AwayComputer } from '../testing/away-computer';
import { eventually } from '../testing/deadline';
import { temporaryFolder } from '../testing/store-fixtures';
import { OwnTerminals } from './own-terminals';

const resourcesDir = resolve(import.meta.dirname, '../../resources');
const encode = (text: string) => new TextEncoder().encode(text);
type Frame = OwnTerminalEvents['live.own'];

let base: string;
let opened: OwnTerminals[];
const failures: unknown[] = [];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-own-')));
  opened = [];
  failures.length = 0;
});

afterEach(async () => {
  for (const own of opened) {
    for (const { id, link } of own.list()) if (link === 'good') await own.close(id);
    await own.dispose();
  }
  rmSync(base, { recursive: true, force: true });
});

const local = (folder = 'own') =>
  new LocalComputer({
    sessionsDir: join(base, folder),
    resourcesDir,
    environment: { PATH: process.env.PATH, HOME: base, LANG: 'C.UTF-8' },
  });

/** The person's terminals as the application has them, and a window that keeps what it is sent. */
async function start(hosts: Record<string, AwayComputer> = {}) {
  const frames: Frame[] = [];
  let changes = 0;
  const own = await OwnTerminals.open({
    folder: join(base, 'own'),
    computer: (name) => (name === 'local' ? local() : (hosts[name] ?? null)),
    changed: () => {
      changes += 1;
    },
    frame: (frame) => frames.push({ ...frame, bytes: frame.bytes.slice() }),
    failed: (terminal, error) => failures.push([terminal, error]),
  });
  opened.push(own);
  const textOf = (id: string) =>
    Buffer.concat(frames.filter((frame) => frame.id === id).map(({ bytes }) => bytes)).toString('utf8');
  const take = (id: string) => own.seen(id, frames.filter((frame) => frame.id === id).at(-1)?.endOffset ?? 0);
  /** What was printed since, taken as it comes, until it contains `text`. */
  const shows = (id: string, text: string | RegExp) =>
    eventually(`the terminal shows ${text}`, () => {
      take(id);
      return typeof text === 'string' ? textOf(id).includes(text) : text.test(textOf(id));
    });
  const view = (id: string) => own.list().find((terminal) => terminal.id === id);
  const live = async (id: string) => {
    const { startOffset, endOffset } = view(id) ?? { startOffset: 0, endOffset: 0 };
    return own.read(id, Math.max(startOffset, endOffset - 200_000), 200_000, 1);
  };
  return { own, frames, textOf, take, shows, view, live, changes: () => changes };
}

const order = { computer: 'local', cwd: null, rows: 24, cols: 80 };

test('a terminal is typed into, follows its size, says what it does, and closing it leaves nothing', async () => {
  const { own, shows, view, live } = await start();
  const { id, name } = await own.open({ ...order, cwd: base });
  expect(view(id)).toMatchObject({ computer: 'local', name: 'terminal-1', rows: 24, cols: 80, link: 'good' });
  await live(id);
  await own.write(id, encode('pwd; echo $((6 * 7))-done\n'));
  await shows(id, '42-done');
  await shows(id, base);
  await own.resize(id, 40, 123);
  await own.write(id, encode('stty size; echo $TERM\n'));
  await shows(id, '40 123');
  await own.write(id, encode('read -r answer\n'));
  await eventually('it waits for input', () => view(id)?.state === 'waiting');
  await own.write(id, encode('x\n'));
  await eventually('it is idle', () => view(id)?.state === 'idle');
  expect(view(id)?.lastByteAt).toBeGreaterThan(0);
  await own.close(id);
  expect(own.list()).toEqual([]);
  const again = local();
  expect(await again.sessions.find(name)).toBeUndefined();
  await again.dispose();
  await expect(own.write(id, encode('x'))).rejects.toMatchObject({ code: 'not_found' });
});

test('what is typed is seen and edited, at the prompt and in a program, and lines come back', async () => {
  const { own, shows, textOf } = await start();
  const { id } = await own.open({ computer: 'local', cwd: base, rows: 24, cols: 80 });
  await own.read(id, 0, 100_000, 1);
  await own.write(id, encode('echo plum-$((1 + '));
  await shows(id, 'echo plum-$((1 + ');
  await own.write(id, encode('7\x7f2))\r'));
  await shows(id, 'plum-3');
  await own.write(id, encode('\x1b[A'));
  await shows(id, /plum-3[\s\S]*echo plum-\$\(\(1 \+ 2\)\)/);
  await own.write(id, encode('\r'));
  await shows(id, /plum-3[\s\S]*plum-3/);
  await own.write(id, encode('cat > /dev/null\r'));
  await eventually('it waits', () => own.list().some(({ state }) => state === 'waiting'));
  const before = textOf(id).length;
  await own.write(id, encode('pear'));
  await eventually('the echo', () => textOf(id).slice(before).includes('pear'));
});

test('no session of a run sees them, and what cleans up after runs leaves them', async () => {
  const { own, view } = await start();
  const { id } = await own.open(order);
  expect(await cleanLocal({ sessionsDir: base, resourcesDir }, new Set())).toEqual({
    closed: 0,
    folders: [],
  });
  await eventually('it is idle, as before', () => view(id)?.state === 'idle');
  const runs = local('run');
  expect(await runs.sessions.list()).toEqual([]);
  await runs.dispose();
});

test('they are found again after a restart, with what they printed and still running', async () => {
  const first = await start();
  const { id } = await first.own.open({ ...order, rows: 30, cols: 100 });
  const second = await first.own.open(order);
  await first.live(id);
  await first.own.write(
    id,
    encode('for i in $(seq 3000); do echo line-$i; done; read -r word; echo got-$word\n'),
  );
  await first.shows(id, 'line-3000');
  await first.own.dispose();
  opened = [];

  const { own, shows, view, live } = await start();
  expect(own.list().map((terminal) => terminal.id)).toEqual([id, second.id]);
  expect(view(id)).toMatchObject({ name: 'terminal-1', rows: 30, cols: 100 });
  const page = await live(id);
  const text = Buffer.from(page.bytes).toString('utf8');
  expect(text).toContain('line-1\r\n');
  expect(text).toContain('line-3000');
  await own.write(id, encode('again\n'));
  await shows(id, 'got-again');
  // The next name is free, not taken from one that lives.
  expect((await own.open(order)).name).toBe('terminal-3');
});

test('a flood that nobody takes waits on its host and holds up no other terminal', async () => {
  const { own, frames, shows, live, take } = await start();
  const over = join(temporaryFolder(), 'over');
  const flood = await own.open(order);
  const calm = await own.open(order);
  await live(flood.id);
  await live(calm.id);
  await own.write(
    flood.id,
    encode(`head -c 12000000 /dev/zero | tr "\\0" "x" | fold -w 79; echo end-of-flood; touch ${over}\n`),
  );
  await eventually('the flood came', () => frames.filter(({ id }) => id === flood.id).length >= 2);
  await own.write(calm.id, encode('echo calm-$((1 + 1))\n'));
  await shows(calm.id, 'calm-2');
  const unseen = frames
    .filter(({ id }) => id === flood.id)
    .reduce((sum, frame) => sum + frame.bytes.length, 0);
  expect(unseen).toBeLessThanOrEqual(3 * frameBytes);
  // All of it is there before any more of it is taken, however fast this machine takes.
  await eventually('the flood is over on its host', () => existsSync(over));
  await shows(flood.id, /end-of-flood\r\n/);
  take(flood.id);
  const sent = frames
    .filter(({ id }) => id === flood.id)
    .reduce((sum, { offset, endOffset }) => sum + endOffset - offset, 0);
  // The screen skipped what nobody could have read.
  expect(sent).toBeLessThan(10_000_000);
  expect(frames.every(({ bytes }) => bytes.length <= frameBytes)).toBe(true);
});

test('questions of what runs now may be answered, those of earlier output never', async () => {
  const { own, shows, textOf, live } = await start();
  const { id } = await own.open(order);
  await live(id);
  const ask = `printf '\\033[6n\\033]52;c;AAAA\\007\\033]11;?\\007\\033[c'; echo asked-$((2 + 1))\n`;
  await own.write(id, encode(ask));
  await shows(id, 'asked-3');
  expect(textOf(id)).toContain('\x1b[6n\x1b[casked-3');
  expect(textOf(id)).not.toContain('\x1b]52;');
  const page = await live(id);
  expect(Buffer.from(page.bytes).toString('utf8')).toContain('asked-3');
  expect(Buffer.from(page.bytes).toString('utf8')).not.toContain('\x1b[6n');
});

test('a link that is not up takes no keys, and output goes on without gap or double when it is back', async () => {
  const host = new AwayComputer('gpu-04', local('host'));
  const { own, frames, shows, view, live, textOf } = await start({ 'gpu-04': host });
  const { id } = await own.open({ ...order, computer: 'gpu-04' });
  const page = await live(id);
  await own.write(
    id,
    encode('for i in $(seq 2000); do echo row-$i; [ $i = 100 ] && read -r _; done; echo all-$((5 * 5))\n'),
  );
  await shows(id, 'row-100');
  for (const state of ['stalled', 'down', 'blocked', 'connecting'] as const) {
    host.link = state;
    await expect(own.write(id, encode('lost\n'))).rejects.toMatchObject({
      code: 'computer_unavailable',
      message: 'gpu-04 cannot be reached now: what you typed was not sent.',
    });
    expect(view(id)?.link).toBe(state);
  }
  host.link = 'good';
  await own.write(id, encode('\n'));
  await shows(id, 'all-25');
  expect(textOf(id)).not.toContain('lost');
  let at = page.endOffset;
  for (const frame of frames.filter((each) => each.id === id)) {
    expect(frame.offset).toBe(at);
    at = frame.endOffset;
  }
  const rows = [...textOf(id).matchAll(/row-(\d+)\r/g)].map(([, number]) => Number(number));
  expect(rows).toEqual(Array.from({ length: 2000 }, (_, index) => index + 1));
});

test('a host that is away at the start shows what is known, and is found when it comes', async () => {
  const before = await start({ 'gpu-04': new AwayComputer('gpu-04', local('host')) });
  const { id } = await before.own.open({ ...order, computer: 'gpu-04', rows: 33, cols: 99 });
  await before.own.dispose();
  opened = [];
  const host = new AwayComputer('gpu-04', local('host'));
  host.link = 'down';
  const { own, view, changes } = await start({ 'gpu-04': host });
  expect(view(id)).toMatchObject({ computer: 'gpu-04', rows: 33, cols: 99, state: 'unknown', link: 'down' });
  await expect(own.read(id, 0, 10, 1)).rejects.toMatchObject({ code: 'computer_unavailable' });
  await expect(own.write(id, encode('x'))).rejects.toMatchObject({ code: 'computer_unavailable' });
  const told = changes();
  host.link = 'good';
  await eventually('its state is known', () => view(id)?.state === 'idle');
  await eventually('the window was told', () => changes() > told);
  expect((await own.read(id, 0, 10, 1)).offset).toBe(0);
});

test('a shell that ended stays to be read until it is closed', async () => {
  const { own, shows, view, live } = await start();
  const { id } = await own.open(order);
  await live(id);
  await own.write(id, encode('echo bye-$((3 * 3)); exit 3\n'));
  await shows(id, 'bye-9');
  await eventually('it has ended', () => view(id)?.state === 'ended');
  const page = await live(id);
  expect(Buffer.from(page.bytes).toString('utf8')).toContain('bye-9');
  await expect(own.write(id, encode('x'))).rejects.toMatchObject({ code: 'refused' });
  await own.close(id);
  expect(own.list()).toEqual([]);
  expect(failures).toEqual([]);
});

test('there is no terminal on a computer that was not added', async () => {
  const { own } = await start();
  await expect(own.open({ ...order, computer: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
});
