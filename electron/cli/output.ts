import { type Failure, plainDetail, toFailure } from '@shared/contract/errors';
import { visibleJson, visibleText } from '@shared/terminal/visible-text';
import type { EngineLog } from '../runs/engine-options';
import { ownLine, setOff } from './fold-quoted';
import { asCalled } from './help';

export type ExitCode = 0 | 1 | 3 | 130;

/** What a command hands back: one JSON document, and lines for people. */
export interface CommandResult {
  json: unknown;
  lines: string[];
  /**
   * 0 done (the default), 1 when the command worked but its answer is "no" (verify found problems), 3 when a limit on money ended
   * it, 130 when Ctrl C did.
   */
  exitCode?: ExitCode;
}

/** Who implements it writes lines as `visibleText` gives them: texts of runs, hosts and files never steer a person's terminal. */
export interface Terminal {
  /** How wide standard output is; absent where it is no terminal, and nothing wraps. */
  readonly columns?: number | undefined;
  out(line: string): void;
  err(line: string): void;
  /** Bytes to standard output as they are; resolves once they are taken, with false when nobody reads any more. */
  write(bytes: Uint8Array): Promise<boolean>;
}

/** Prints the result; with `json`, exactly one document on the last line of standard output. */
export function printResult(result: CommandResult, json: boolean, terminal: Terminal): ExitCode {
  if (json) terminal.out(visibleJson(result.json));
  else for (const line of result.lines) terminal.out(ownLine(line, terminal.columns));
  return result.exitCode ?? 0;
}

/** Exit code 1 = refused with a named error, 2 = a bug in Waymark. */
export function printFailure(
  thrown: unknown,
  json: boolean,
  terminal: Terminal,
  /** Lines that standard error has already. */
  said: ReadonlySet<string> = new Set(),
  called = 'waymark',
): 1 | 2 {
  const failure: Failure = toFailure(thrown);
  if (json) {
    const { code, message, detail = null } = failure;
    terminal.out(visibleJson({ error: { code, message, detail } }));
  } else {
    const line = `${failure.code}: ${failure.message}`;
    if (!said.has(line)) terminal.err(asCalled(line, called));
    const detail = plainDetail(failure);
    // What failed may be named in words of others.
    if (detail !== '') for (const row of setOff(detail)) terminal.err(row);
  }
  return failure.code === 'bug' ? 2 : 1;
}

/** Left-aligned columns, two spaces apart; the last one is never padded. A row stays one line, whatever its cells hold. */
export function table(texts: readonly (readonly string[])[]): string[] {
  const rows = texts.map((row) => row.map((cell) => visibleText(cell).replace(/[\t\n]+/g, ' ')));
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  '),
  );
}

/** The engine's errors on standard error; what merely happened is in the run's own log. */
export function headlessLog(terminal: Pick<Terminal, 'err'>): EngineLog {
  return {
    info: () => undefined,
    error: (message, facts) => terminal.err(facts ? `${message} ${JSON.stringify(facts)}` : message),
  };
}

/** "1 run", "2 runs", "3 entries". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A heading with a table below it, set off; nothing without rows. */
export function section(title: string, rows: string[][]): string[] {
  return rows.length === 0 ? [] : ['', title, ...table(rows).map((line) => `  ${line}`)];
}
