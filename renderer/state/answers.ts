import type { Failure } from '@shared/contract/errors';
import type { CommandInput, CommandName, CommandOutput } from '@shared/contract/ipc';
import { keepPreviousData, type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { failureOf } from '../api';
import { type Answer, answers, question } from './answer-cache';
import { toastFailure } from './toasts';

export interface Asked<T> {
  /** Null until it is there, and when it failed. */
  value: T | null;
  /** Why there is no value; shown in its place. */
  failure: Failure | null;
  /** Nothing was answered yet: an answer may also be null. */
  waiting: boolean;
  /** Asks once more; the old value stays until the new one is there. */
  again: () => void;
}

/** The answer to one command, or why there is none. Another input is another question, which begins without an answer. */
export function useAsked<C extends CommandName>(
  command: C,
  input: CommandInput<C> | null,
  version?: string | number,
): Asked<CommandOutput<C>> {
  const found = useQuery(question(command, input, version), answers);
  return asked(found, found.data?.value);
}

/** An answer that is put together from several commands; `key` begins with the first of them. */
export function useAskedWith<T>(key: QueryKey, ask: () => Promise<T>): Asked<T> {
  const found = useQuery({ queryKey: key, queryFn: ask }, answers);
  return asked(found, found.data);
}

function asked<T>({ error, isLoading, refetch }: UseQueryResult<unknown>, value: T | undefined): Asked<T> {
  return {
    value: error === null ? (value ?? null) : null,
    failure: error === null ? null : failureOf(error),
    waiting: isLoading,
    again: () => {
      refetch().catch(toastFailure);
    },
  };
}

export interface Kept<C extends CommandName> {
  /** The newest answer there is, which may be that to the question before. */
  answer: Answer<C> | null;
  /** Why this question has no answer; then there is none of another either. */
  failure: Failure | null;
  /** This question is not answered yet. */
  waiting: boolean;
  again: () => void;
}

/** As `useNewest`, for what shows a failure in its own place and says that it works. */
export function useKept<C extends CommandName>(
  command: C,
  input: CommandInput<C> | null,
  version?: string | number,
): Kept<C> {
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(
    { ...question(command, input, version), placeholderData: keepPreviousData },
    answers,
  );
  const failed = error !== null && !isFetching;
  return {
    answer: input === null || failed ? null : (data ?? null),
    failure: failed ? failureOf(error) : null,
    waiting: input !== null && (isPlaceholderData || isFetching),
    again: () => {
      refetch().catch(toastFailure);
    },
  };
}

/**
 * The newest answer to a command; that to the question before stays until the new one is there, and says what it answers. A failure
 * becomes a toast.
 */
export function useNewest<C extends CommandName>(
  command: C,
  input: CommandInput<C> | null,
  version?: string | number,
): Answer<C> | null {
  const { data, error } = useQuery(
    { ...question(command, input, version), placeholderData: keepPreviousData },
    answers,
  );
  useEffect(() => {
    if (error !== null) toastFailure(error);
  }, [error]);
  return input === null ? null : (data ?? null);
}
