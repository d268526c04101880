import { constants, watch } from 'node:fs';
import {
  access,
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { remove, removeAt, removeFile } from '../../../files/remove';
import type { HopQuestion } from '../ssh2/ssh2-hop';
import { ConnectFailure } from '../transport';

type AskpassQuestion =
  | HopQuestion
  /** Nothing to answer: something a person should do, such as touching a security key. */
  | { kind: 'notice'; text: string };

/**
 * What ssh wants to know, from the words it asks with (stable since OpenSSH 5; checked against 9.2). What is not
 * recognised is asked as it is, with the answer hidden.
 *
 * @param kind SSH_ASKPASS_PROMPT: `confirm`, `none`, or empty for a secret
 * @param count how often the very question was asked before
 */
export function readQuestion(kind: string, prompt: string, file: string, count: number): AskpassQuestion {
  if (kind === 'none') return { kind: 'notice', text: prompt.trim() };
  const attempt = count + 1;
  const passphrase = /^Enter passphrase for (?:key )?'?(.+?)'?: ?$/s.exec(prompt)?.[1];
  if (passphrase !== undefined) return { kind: 'passphrase', keyFile: passphrase, attempt };
  if (/^\S+'s password: ?$/.test(prompt)) return { kind: 'password', attempt };
  // What a host asks itself begins with "(user@host) ": it cannot pose as a question about its own key.
  if (/^The authenticity of host .*continue connecting \(yes\/no/s.test(prompt)) {
    return {
      kind: 'unknown_host_key',
      keyType: /^(\S+) key fingerprint is/m.exec(prompt)?.[1] ?? '',
      sha256: /SHA256:[A-Za-z0-9+/]+/.exec(prompt)?.[0] ?? '',
      file,
    };
  }
  const [, text = ''] = /^(?:\([^()\s]+@[^()\s]+\) )?(.*)$/s.exec(prompt) ?? [];
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const fields = kind === 'confirm' ? [] : [{ prompt: last, echo: false }];
  const instructions = kind === 'confirm' ? text : lines.join('\n');
  return { kind: 'keyboard', name: '', instructions, fields, round: attempt };
}

/** What ssh is told. */
export function answerText(question: HopQuestion, answer: { texts: string[] } | { trust: true }): string {
  if ('trust' in answer || question.kind === 'unknown_host_key') return 'yes';
  return answer.texts[0] ?? '';
}

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
   * @param parent this user's alone, below the application's own data: made if need be
   * @throws ConnectFailure unsupported when the program cannot be run, or `parent` is somebody else's or no folder
   */
  static async open(
    program: string,
    ask: (question: RawQuestion) => Promise<string | null>,
    onChange: (file: string) => void,
    parent: string,
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
    const folder = await makeFolder(parent);
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
    await removeAt(this.folder, { kind: 'folder', owned: true });
  }

  private async take(file: string): Promise<void> {
    if (this.closed || this.seen.has(file)) return;
    this.seen.add(file);
    const path = join(this.folder, file);
    const pipe = await this.openPipe(path.replace(/\.question$/, '.answer'));
    if (!pipe) return; // ssh gave up: so does its program
    try {
      const [hop = '', kind = '', ...prompt] = (await readFile(path, 'utf8')).split('\n');
      removeFile(this.folder, file);
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
  await ownParent(parent);
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? /^\d+(?=-)/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (pid === undefined || isAlive(Number(pid))) continue;
    await remove(parent, [name], { kind: 'folder', owned: true });
  }
  return mkdtemp(join(parent, `${prefix}${process.pid}-`));
}

/** Nobody else may make anything in it: neither names to be cleaned up, nor links where a question is written. */
async function ownParent(parent: string): Promise<void> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const { uid, mode, isFolder } = await lstat(parent).then((found) => ({
    uid: found.uid,
    mode: found.mode,
    isFolder: found.isDirectory(),
  }));
  if (!isFolder || (process.getuid !== undefined && uid !== process.getuid())) {
    throw new ConnectFailure(
      'unsupported',
      'resolve',
      `${parent} is ${isFolder ? "another user's" : 'no folder'}, and questions of ssh go through it. Move it away.`,
    );
  }
  if ((mode & 0o077) !== 0) await chmod(parent, 0o700);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
}
