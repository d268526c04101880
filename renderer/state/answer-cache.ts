import type { CommandInput, CommandName, CommandOutput } from '@shared/contract/ipc';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../api';
import { toastFailure } from './toasts';

/**
 * What components have asked the main process, by command and input: the same question from two places is asked once, and an
 * answer that another question has overtaken is dropped. The main process is always there, answers from the disk and says itself
 * what has changed, so nothing is asked again for time, focus or network, and an answer nobody looks at any more is forgotten.
 */
export const answers = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      // Answers are large and read-only: comparing them deeply costs more than drawing them once more.
      structuralSharing: false,
      gcTime: 0,
    },
  },
});

/** An answer and the input it is an answer to. */
export interface Answer<C extends CommandName> {
  input: CommandInput<C>;
  value: CommandOutput<C>;
}

/** One question: a command with its input (null asks nothing), and what makes the same question worth asking again. */
export function question<C extends CommandName>(
  command: C,
  input: CommandInput<C> | null,
  version?: string | number,
) {
  return queryOptions({
    queryKey: [command, input, version],
    queryFn: () => ask(command, input),
    enabled: input !== null,
  });
}

async function ask<C extends CommandName>(command: C, input: CommandInput<C> | null): Promise<Answer<C>> {
  if (input === null) throw new Error(`${command} was asked without an input.`);
  const send = call as (command: C, input: CommandInput<C>) => Promise<CommandOutput<C>>;
  return { input, value: await send(command, input) };
}

/** Asks a command again wherever its answer is on the screen. */
export function refreshAnswers(command: CommandName): void {
  answers.invalidateQueries({ queryKey: [command] }).catch(toastFailure);
}

/** Takes every answer off the screen and asks again: another person looks, who may not see the same. */
export function forgetAnswers(): void {
  answers.resetQueries().catch(toastFailure);
}
