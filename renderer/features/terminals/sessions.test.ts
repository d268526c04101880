import { expect, it } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { loadSessions, useSessions } from './sessions';
import { chooseTerminal, showMoment, useShown } from './sessions-shown';

it('keeps what is chosen before the list is there, and drops it with the run', async () => {
  const answers: (() => void)[] = [];
  new BridgeStand({
    'sessions.list': () => new Promise((resolve) => answers.push(() => resolve([]))),
  });
  const answered = async (run: string) => {
    for (const answer of answers.splice(0)) answer();
    await settled();
    expect(useSessions.getState().run).toBe(run);
  };
  loadSessions('first');
  chooseTerminal('mine');
  await answered('first');
  expect(useShown.getState().chosen).toBe('mine');

  showMoment('a', 10);
  loadSessions('second');
  expect(useShown.getState()).toMatchObject({ chosen: null, moment: null });
  chooseTerminal('mine');
  await answered('second');
  expect(useShown.getState().chosen).toBe('mine');
});
