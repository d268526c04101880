import { WaymarkError } from '@shared/contract/errors';
import { expect, it } from 'vitest';
import { parseArguments } from './arguments';
import { agreedToGoOn, unlessUnisolated } from './ask-unisolated';
import type { CliContext } from './context';
import { TerminalPrompts } from './terminal-prompts';

const refusal = new WaymarkError('not_isolated', 'Not isolated: --isolation none.', 'bubblewrap is missing.');

/** A machine without a sandbox; `keys`: what a person types at each question, null = there is no terminal. */
function machine(...keys: (string | null)[]) {
  const said: string[] = [];
  const consents: unknown[] = [];
  const prompts = new TerminalPrompts({
    interactive: keys[0] !== null,
    write: (text) => void said.push(text),
    keys: (onKeys) => {
      queueMicrotask(() => onKeys(`${keys.shift() ?? ''}\r`));
      return () => undefined;
    },
  });
  const context = {
    prompts,
    terminal: { err: (line: string) => void said.push(line) },
    engine: { refuseUnasked: () => Promise.reject(refusal) },
    reader: {
      run: (run: string) =>
        Promise.resolve({ computers: [run === 'isolated' ? { isolation: 'bubblewrap' } : {}] }),
    },
  } as unknown as CliContext;
  return {
    said: () => said.join('\n'),
    consents,
    start: (...options: string[]) =>
      unlessUnisolated(context, parseArguments(['run', 'start', ...options]), async (consent) => {
        consents.push(consent);
        if (consent.agreed === undefined) throw refusal;
        return 'started';
      }),
    resume: (...options: string[]) =>
      agreedToGoOn(context, parseArguments(['run', 'resume', ...options]), 'a'),
    resumeIsolated: () =>
      agreedToGoOn(context, parseArguments(['run', 'resume', '--isolation', 'none']), 'isolated'),
  };
}

it('asks at the terminal, says what an agent can reach and why, and starts after a yes', async () => {
  const own = machine('y');
  expect(await own.start()).toBe('started');
  expect(own.consents).toEqual([{ isolation: 'sandbox' }, { isolation: 'sandbox', agreed: 'person' }]);
  expect(own.said()).toMatch(/read keys and passwords[\s\S]*bubblewrap is missing\.[\s\S]*\(y\/N\)/);
});

it.each(['', 'n', 'no', 'yep'])('does not start after "%s"', async (typed) => {
  const own = machine(typed);
  await expect(own.start()).rejects.toMatchObject({ code: 'cancelled' });
  expect(own.consents).toHaveLength(1);
});

it('without a terminal refuses and names the flag, which is the consent itself', async () => {
  const own = machine(null);
  await expect(own.start()).rejects.toMatchObject({
    code: 'not_isolated',
    message: expect.stringContaining('--isolation none'),
  });
  await expect(own.resume()).rejects.toMatchObject({ code: 'not_isolated' });
  expect(await own.start('--isolation', 'none')).toBe('started');
  expect(await own.resume('--isolation', 'none')).toBe(true);
  await expect(own.start('--isolation', 'some')).rejects.toMatchObject({ code: 'bad_input' });
});

it('says that a run which is isolated stays so', async () => {
  await expect(machine(null).resumeIsolated()).rejects.toMatchObject({ code: 'bad_input' });
});

it('asks about runs one after the other', async () => {
  const own = machine('y', 'n');
  const [first, second] = await Promise.allSettled([own.resume(), own.resume()]);
  expect(first).toMatchObject({ value: true });
  expect(second).toMatchObject({ reason: { code: 'cancelled' } });
});
