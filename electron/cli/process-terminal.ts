import { visibleText } from '@shared/terminal/visible-text';
import { foldQuoted, ownLine, usualColumns } from './fold-quoted';
import type { Terminal } from './output';

/** How soon it is tried again to say what was lost, ms. */
const againMs = 1_000;

/** The streams a process was started with; they end up in a terminal, a pipe or a log file. */
export interface ProcessStreams {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/**
 * Standard output and standard error of this process. A full disk below a log file, or a reader that is gone, never ends
 * the work: lines of standard error that nobody could take are counted, and the count is the first thing said once there
 * is room again. An answer that could not be printed makes the process fail at its end (`failed`). Lines show hidden
 * characters written out, so that nothing a run, a host or a file says reaches the terminal as a command; words that are quoted
 * behind the gutter keep it on every row.
 */
export class ProcessTerminal implements Terminal {
  /** Whether something was to be printed that could not be, though somebody still reads. */
  failed = false;
  private lost = 0;
  private cause = '';
  private saying = false;

  constructor(
    private readonly streams: ProcessStreams,
    /** Takes secrets out of what goes to standard error, which is often a log file. */
    private readonly clean: (line: string) => string = (line) => line,
  ) {
    // A reader that has seen enough, such as `head`, closes the pipe: not a bug, and the work still ends in order.
    streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || this.failed) return;
      this.failed = true;
      this.err(
        `The output could not be printed: ${error.message}. The command itself has run; to read its result, send the output somewhere else.`,
      );
    });
    // Every line has its own callback, which counts it.
    streams.stderr.on('error', () => undefined);
  }

  get columns(): number | undefined {
    return widthOf(this.streams.stdout);
  }

  out(line: string): void {
    this.sayLoss();
    this.streams.stdout.write(`${shown(line, this.streams.stdout)}\n`);
  }

  err(line: string): void {
    this.sayLoss();
    this.streams.stderr.write(
      `${shown(ownLine(this.clean(line), widthOf(this.streams.stderr)), this.streams.stderr)}\n`,
      (error) => {
        if (error) this.lose(error);
      },
    );
  }

  write(bytes: Uint8Array): Promise<boolean> {
    return new Promise((resolve) => {
      this.streams.stdout.write(bytes, (error) => resolve(!error));
    });
  }

  /** Resolves once the answer is printed, or `failed` says that it was not. */
  async printed(): Promise<void> {
    await this.write(new Uint8Array());
  }

  private lose(error: NodeJS.ErrnoException): void {
    this.lost += 1;
    this.cause = error.code ?? error.message;
    this.sayLater();
  }

  private sayLoss(): void {
    const lost = this.lost;
    if (lost === 0 || this.saying) return;
    this.saying = true;
    this.lost = 0;
    const what = lost === 1 ? '1 line is' : `${lost} lines are`;
    this.streams.stderr.write(
      `${what} missing here: the log could not be written (${this.cause}).\n`,
      (error) => {
        this.saying = false;
        if (!error) return;
        this.lost += lost;
        this.sayLater();
      },
    );
  }

  /** Whoever waits for room has nothing more to say meanwhile; the process does not stay for this alone. */
  private sayLater(): void {
    setTimeout(() => this.sayLoss(), againMs).unref();
  }
}

/** Undefined where nothing wraps. A terminal that was not told its width says 0. */
function widthOf({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY ? columns || usualColumns : undefined;
}

function shown(line: string, { columns }: NodeJS.WriteStream): string {
  return foldQuoted(visibleText(line), columns || usualColumns);
}
