import { nestsDeeper } from '@shared/base/json-depth';
import type { EventBody } from '@shared/log/events';
import { mostNesting } from './node';

type Scalar = string | number | boolean;

/** What the reference program said of an action: its observation object, where the text is one that nests no deeper than a node may. */
export function parseObservation(text: string | null): Record<string, unknown> | null {
  if (text === null || nestsDeeper(text, mostNesting)) return null;
  try {
    const value: unknown = JSON.parse(text);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Arguments as our events hold them: scalars; what nests is kept as its JSON text. */
export function scalarArguments(text: string): Record<string, Scalar> | null {
  const value = parseObservation(text);
  if (value === null) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]): [string, Scalar][] => {
      // Absent ones are sent as null, or as the word.
      if (each === null || each === undefined || each === 'None') return [];
      return [[key, isScalar(each) ? each : JSON.stringify(each)]];
    }),
  );
}

/** Why the answer was no action; null when it was one. The reference program answers these in the action's place. */
export function refusedAnswer(name: string, observed: Record<string, unknown> | null): string | null {
  const message = observed?.error_message;
  if (observed?.success !== false || typeof message !== 'string') return null;
  if (name === 'null') return message;
  const invalid = /^Unknown tool: |^Tool `[^`]*` occurs error: |do not think/i.test(message);
  return invalid ? message : null;
}

/** Facts for rules and window under our own names. */
export function observationData(
  name: string,
  args: Record<string, Scalar>,
  observed: Record<string, unknown>,
): EventBody<'action.observed'>['data'] {
  const given = (key: string) => observed[key] ?? args[key];
  const data: Record<string, unknown> = {};
  const put = (key: string, value: unknown) => {
    if (value !== undefined && value !== null) data[key] = value;
  };
  put('computer', given('computer_ip'));
  put('session', given('session_id'));
  put('command', observed.command ?? (name === 'run_command' ? args.command : undefined));
  put('path', observed.file_path ?? (isFileAction(name) ? args.path : undefined));
  put('startLine', observed.start_line);
  put('endLine', observed.end_line);
  put('totalLines', observed.total_lines);
  put('query', observed.query ?? (name === 'web_search' ? args.query : undefined));
  put('hits', observed.total_results);
  put('async', observed.async_execution);
  if (typeof observed.is_idle === 'boolean') put('state', observed.is_idle ? 'idle' : 'busy');
  if (Array.isArray(observed.search_matches)) put('hitLines', observed.search_matches);
  return data;
}

/** Seconds that the action took, where the observation says. */
export function durationMs(observed: Record<string, unknown> | null): number {
  const seconds = observed?.execution_time;
  return typeof seconds === 'number' && seconds >= 0 ? Math.round(seconds * 1000) : 0;
}

function isFileAction(name: string): boolean {
  return /_file$|^file_/.test(name);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
