import { constants, watch } from 'node:fs';
import { access, chmod, type FileHandle, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectFailure } from './connect-failure';

/** A question of ssh's, still in its words. */
export interface RawQuestion {
  /** Number of the hop that asks; the host itself has the last. */
  hop: number;
  /** SSH_ASKPASS_PROMPT. */
  kind: string;
  prompt: string;
}

/** The program takes this long at most to listen for the answer after it asked, ms; then it has died. */
const listenMs = 5000;
const listenPollMs = 20;

/**
 * A private folder (0700) through which the askpass program of one connection asks, and into which ssh writes its log.
 * Answers go back through pipes with names; they are in no file.
 */
export class AskpassDesk {
  private readonly watcher: ReturnType<typeof watch>;
  private readonly seen = new Set<string>();
  private closed = false;

  private constructor(
    readonly folder: string,
    private readonly program: string,
    private readonly ask: (question: RawQuestion) => Promise<string | null>,
    onChange: (file: string) => void,
  ) {
    this.watcher = watch(folder, (_event, file) => {
      if (file?.endsWith('.question'))
        this.take(file).catch(() => undefined); // the asker is gone
      else if (file) onChange(file);
    });
    // A folder that cannot be watched any more is one that was removed.
    this.watcher.on('error', () => undefined);
  }

  /**
   * @param ask answers a question with what ssh is to read; null: no
   * @param onChange told the name of any other file that changed
   * @throws ConnectFailure unsupported when the program cannot be run
   */
  static async open(
    program: string,
    ask: (question: RawQuestion) => Promise<string | null>,
    onChange: (file: string) => void,
  ): Promise<AskpassDesk> {
    try {
      await access(program, constants.X_OK);
    } catch {
      throw new ConnectFailure(
        'unsupported',
        'resolve',
        `${program} is missing or may not be executed, and ssh asks its questions through it. Install Waymark again.`,
      );
    }
    const folder = await makeFolder(process.env.XDG_RUNTIME_DIR || tmpdir()).catch(() =>
      makeFolder(tmpdir()),
    );
    await chmod(folder, 0o700);
    return new AskpassDesk(folder, program, ask, onChange);
  }

  /** For ssh and what it starts. */
  environment(): Record<string, string> {
    return {
      SSH_ASKPASS: this.program,
      SSH_ASKPASS_REQUIRE: 'force',
      WAYMARK_ASKPASS_DIR: this.folder,
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.watcher.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async take(file: string): Promise<void> {
    if (this.closed || this.seen.has(file)) return;
    this.seen.add(file);
    const path = join(this.folder, file);
    const pipe = await this.openPipe(path.replace(/\.question$/, '.answer'));
    if (!pipe) return; // ssh gave up: so does its program
    try {
      const [hop = '', kind = '', ...prompt] = (await readFile(path, 'utf8')).split('\n');
      await rm(path, { force: true });
      const text = await this.ask({ hop: Number(hop), kind, prompt: prompt.join('\n') });
      await pipe.writeFile(text === null ? 'no\n' : `yes\n${text}\n`);
    } finally {
      await pipe.close();
    }
  }

  private async openPipe(path: string): Promise<FileHandle | undefined> {
    const until = performance.now() + listenMs;
    while (!this.closed && performance.now() < until) {
      try {
        // Opening a pipe that nobody reads yet must not wait for ever.
        return await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENXIO') return undefined;
        await wait(listenPollMs);
      }
    }
    return undefined;
  }
}

const prefix = 'waymark-ask-';

/** Also removes what processes that were killed left there: logs, never secrets. */
async function makeFolder(parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? /^\d+(?=-)/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined); // another user's
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
}
