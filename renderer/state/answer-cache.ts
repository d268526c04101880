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
  const key = keyOf(command, input);
  const begun = ahead.get(key) as Promise<CommandOutput<C>> | undefined;
  ahead.delete(key);
  return { input, value: await (begun ?? send(command, input)) };
}

function send<C extends CommandName>(command: C, input: CommandInput<C>): Promise<CommandOutput<C>> {
  return (call as (command: C, input: CommandInput<C>) => Promise<CommandOutput<C>>)(command, input);
}

/** How long an answer that was asked for ahead waits for its question, ms. */
const AHEAD_MS = 1_000;
/** By command and input, what was asked before the page was drawn that shows it. */
const ahead = new Map<string, Promise<unknown>>();
const keyOf = (command: CommandName, input: unknown) => JSON.stringify([command, input]);

/** Asks what is about to be shown, so that it is read while the page is drawn: the first to ask the same gets this answer. */
export function askAhead<C extends CommandName>(
  command: C,
  input: CommandInput<C>,
): Promise<CommandOutput<C>> {
  const key = keyOf(command, input);
  const answer = send(command, input);
  ahead.set(key, answer);
  const forget = () => {
    if (ahead.get(key) === answer) ahead.delete(key);
  };
  setTimeout(forget, AHEAD_MS);
  // Whoever asks then hears of it anew.
  answer.catch(forget);
  return answer;
}

/** Asks a command again wherever its answer is on the screen. */
export function refreshAnswers(command: CommandName): void {
  ahead.clear();
  answers.invalidateQueries({ queryKey: [command] }).catch(toastFailure);
}

/** Takes every answer off the screen and asks again: another person looks, who may not see the same. */
export function forgetAnswers(): void {
  ahead.clear();
  answers.resetQueries().catch(toastFailure);
}
