import type { CommandName } from '@shared/contract/ipc';
import { ownTerminalCommands } from '@shared/contract/ipc/own-terminal';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { answerCommand } from '../commands/dispatch';
import { Gestures } from '../ipc/gestures';
import { registerCommands } from '../ipc/register';
import { calls, inTurn, PageAttackStand, type Reply } from '../testing/page-attack-stand';

type Listener = (event: unknown, name: unknown, input: unknown) => Promise<Reply>;
const heard: { listener?: Listener } = {};
vi.mock('electron', () => ({
  ipcMain: {
    handle: (_channel: string, listener: Listener) => {
      heard.listener = listener;
    },
    on: () => undefined,
    off: () => undefined,
    removeHandler: () => undefined,
  },
  dialog: {
    showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
    showSaveDialog: async () => ({ canceled: true }),
    showMessageBox: async () => ({ response: 0 }),
  },
  shell: { openExternal: () => Promise.reject(new Error('Nobody said yes.')) },
}));

const page = {};
let stand: PageAttackStand;
let gestures: Gestures;
/** The page is at its worst while a person works in it: there always was a press. */
async function send(name: unknown, input: unknown, frame: unknown = page): Promise<Reply> {
  gestures.note();
  const reply = await heard.listener?.(frame, name, input);
  if (reply === undefined) throw new Error('Nothing is registered.');
  return reply;
}

beforeAll(async () => {
  stand = await PageAttackStand.open(inject('storeWorkers'));
  gestures = new Gestures();
  registerCommands(
    Promise.resolve({
      trusts: (event) => event === page,
      answer: (name, input) =>
        gestures.guard(name, () =>
          answerCommand(stand.handlers, name, input, (command, { message, detail }) =>
            stand.bugs.push(`${command}: ${message} ${detail ?? ''}`),
          ),
        ),
      violated: () => undefined,
    }),
  );
});
afterAll(() => stand.close());

describe('a page that was taken over (P11)', () => {
  it('is told nothing in another frame', async () => {
    for (const name of inTurn)
      expect(await send(name, undefined, {})).toMatchObject({ ok: false, error: { code: 'refused' } });
  });

  it('has no command that types into a terminal of the person or reads what it prints', async () => {
    const input = {
      id: '1',
      bytes: new Uint8Array([10]),
      ids: ['1'],
      offset: 0,
      maxBytes: 100,
      rows: 24,
      cols: 80,
    };
    for (const name of Object.keys(ownTerminalCommands))
      expect(await send(name, input)).toMatchObject({ ok: false, error: { code: 'bad_input' } });
    expect(inTurn.filter((name) => name.startsWith('own.'))).toEqual([
      ...['own.list', 'own.open', 'own.place', 'own.enter'],
    ]);
  });

  it('is refused 100 MB by name', async () => {
    const texts = 'x'.repeat(100_000_000);
    const bytes = new Uint8Array(100_000_000);
    for (const name of inTurn)
      for (const input of [texts, { run: texts }, { id: '1', bytes }, { [texts]: 1 }])
        expect(await send(name, input)).toMatchObject({ ok: false, error: { code: 'bad_input' } });
  });

  it.each(
    inTurn,
  )(`${calls} calls of %s get typed answers and nothing that was planted`, async (name: CommandName) => {
    await stand.attack(name, send);
  }, 600_000);

  it('had most commands carried out', () => {
    expect(stand.taken.size).toBeGreaterThan(90);
  });

  it('made, changed and removed nothing outside, and sent no key elsewhere', async () => {
    await stand.nothingElseHappened();
  });
});
