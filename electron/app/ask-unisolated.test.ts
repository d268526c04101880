import { WaymarkError } from '@shared/contract/errors';
import { expect, it } from 'vitest';
import type { Handlers } from '../commands/dispatch';
import { askUnisolated } from './ask-unisolated';

type Input = Parameters<Handlers['runs.resume']>[0];

/** A machine without a sandbox, here or at the other end of a link; `answers`: what the person says, in turn. */
function window(...answers: boolean[]) {
  const driven: string[] = [];
  const questions: string[] = [];
  const refuse = async ({ run, unisolated }: Input) => {
    if (!unisolated) throw new WaymarkError('not_isolated', 'Not isolated.', 'bubblewrap is not installed.');
    driven.push(run);
  };
  const handlers = askUnisolated(
    { 'runs.resume': refuse, 'runs.start': refuse, 'branches.create': refuse } as unknown as Handlers,
    async (why) => {
      questions.push(why);
      return answers.shift() ?? false;
    },
  );
  return { handlers, driven, questions };
}

it.each([
  'runs.start',
  'runs.resume',
  'branches.create',
] as const)('asks a person before %s works without isolation', async (name) => {
  const { handlers, driven, questions } = window(false, true);
  const start = handlers[name] as (input: Input) => Promise<unknown>;
  await expect(start({ run: 'a', unisolated: false })).rejects.toMatchObject({ code: 'not_isolated' });
  expect(driven).toEqual([]);
  await start({ run: 'a', unisolated: false });
  expect(driven).toEqual(['a']);
  expect(questions).toEqual(['bubblewrap is not installed.', 'bubblewrap is not installed.']);
});

it('takes no word of the page for it', async () => {
  const { handlers, driven, questions } = window(false);
  await expect(handlers['runs.resume']({ run: 'a', unisolated: true })).rejects.toThrow('Not isolated.');
  expect({ driven, questions }).toEqual({ driven: [], questions: ['bubblewrap is not installed.'] });
});

it('asks nothing where nobody has to be asked, and passes other failures on', async () => {
  let asked = 0;
  const fail = () => Promise.reject(new WaymarkError('run_ended', 'It has ended.'));
  const handlers = askUnisolated(
    { 'runs.resume': async () => undefined, 'runs.start': fail } as unknown as Handlers,
    async () => {
      asked += 1;
      return true;
    },
  );
  await handlers['runs.resume']({ run: 'a', unisolated: false });
  await expect(handlers['runs.start']({} as never)).rejects.toMatchObject({ code: 'run_ended' });
  expect(asked).toBe(0);
});
