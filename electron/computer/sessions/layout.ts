import { SessionError } from '../failures';

/**
 * The directory contract of a session, the same on every host (`resources/sessions/supervisor.pl` describes it),
 * and the words that go over it. Pure text.
 */

const maxName = 64;
const maxEncoded = 200;
const maxCommandBytes = 4 * 1024 * 1024;

/** Why no session can run that command, in a sentence with what to do; null when one can. */
export function whyNoCommand(command: string): string | null {
  return command.includes('\0') || Buffer.byteLength(command) > maxCommandBytes
    ? `A command has at most ${maxCommandBytes} bytes and no NUL character. Put longer text in a file and run that.`
    : null;
}

/** Why no session can have that name, in a sentence with what to do; null when one can. */
export function whyNoSessionName(name: string): string | null {
  if (name.length === 0 || name.length > maxName || /[\x00-\x1f\x7f]/.test(name)) {
    return `A session name has 1 to ${maxName} characters and no control characters. Choose another name.`;
  }
  return encoded(name).length > maxEncoded
    ? `A session name with letters other than a to z must be shorter: as a directory name this one has ${encoded(name).length} characters, and at most ${maxEncoded} are allowed. Choose a shorter name.`
    : null;
}

/**
 * A session name as a directory name. Only lower-case letters, digits, `_` and `-` stand for themselves, so that two names
 * never meet on a file system that ignores case. @throws SessionError invalid_name
 */
export function encodeSessionName(name: string): string {
  const why = whyNoSessionName(name);
  if (why !== null) throw new SessionError('invalid_name', name, why);
  return encoded(name);
}

function encoded(name: string): string {
  return [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[a-z0-9_-]/.test(character) ? character : `=${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** The name behind a directory name; `undefined` when the directory is not a session's. */
export function decodeSessionName(directory: string): string | undefined {
  if (!/^(?:[a-z0-9_-]|=[0-9a-f]{2})+$/.test(directory)) return undefined;
  const bytes = directory.replace(/=([0-9a-f]{2})/g, (_match, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Who holds the session, from its `meta` file. Start times are the kernel's ticks; empty where there is no /proc. */
export interface SessionMeta {
  id: string;
  supervisor: number;
  supervisorStart: string;
  shell: number;
  shellStart: string;
  tty: string;
  /** `dev:ino` of the log. */
  spool: string;
  boot: string;
  /** ms since 1970, whole seconds. */
  createdAt: number;
  cwd: string;
  /** The first process of the session's sandbox; 0 where it has none. */
  init: number;
  initStart: string;
  /** The directory is a copy: what lives is another's. */
  copied?: boolean;
}

export function parseMeta(text: string): SessionMeta | undefined {
  const values = keyValues(text);
  const meta: SessionMeta = {
    id: values.get('id') ?? '',
    supervisor: Number(values.get('supervisor')),
    supervisorStart: values.get('supervisor_start') ?? '',
    shell: Number(values.get('shell')),
    shellStart: values.get('shell_start') ?? '',
    tty: values.get('tty') ?? '',
    spool: values.get('spool') ?? '',
    boot: values.get('boot') ?? '',
    createdAt: Number(/^\d{1,12}$/.exec(values.get('created') ?? '')?.[0] ?? 0) * 1000,
    cwd: values.get('cwd') ?? '',
    init: Number(/^\d{1,10}$/.exec(values.get('init') ?? '')?.[0] ?? 0),
    initStart: values.get('init_start') ?? '',
  };
  const sound =
    meta.id !== '' && meta.tty.startsWith('/dev/') && isProcess(meta.shell) && isProcess(meta.supervisor);
  return sound ? meta : undefined;
}

const isProcess = (pid: number) => Number.isSafeInteger(pid) && pid > 1;

/** The exit code in an `exit` file; `null` when it cannot be read. */
export function parseExit(text: string): number | null {
  const code = keyValues(text).get('code');
  return code !== undefined && /^\d{1,3}$/.test(code) ? Number(code) : null;
}

function keyValues(text: string): Map<string, string> {
  const pairs = text.split('\n').map((line): [string, string] => {
    const at = line.indexOf('=');
    return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
  });
  return new Map(pairs);
}

/** The line that makes the shell take command `commandSeq` from its file. Short, whatever the command's length. */
export function commandLine(commandSeq: number): string {
  return `__wm_load ${commandSeq};eval "$__wm_text";__wm_end $?\n`;
}

const maxEcho = 4096;

/**
 * What the terminal shows as the typed command: control characters made visible, so that a command's text
 * can neither move the cursor nor pose as a marker, and the middle of a very long one left out.
 */
export function commandEcho(command: string): string {
  const visible = command.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : '^?';
  });
  const text = visible.replace(/\n+$/, '');
  if (text.length <= maxEcho) return text;
  const half = maxEcho / 2;
  return `${text.slice(0, half)}\n[${text.length - maxEcho} characters of the command not shown]\n${text.slice(-half)}`;
}

/** `0000000000000012` for 12: names of inputs sort as their numbers. */
export function inputFileName(inputSeq: number): string {
  return String(inputSeq).padStart(16, '0');
}

/** What a listing of `inbox/` says: the highest number ever accepted and the inputs not fully delivered yet. */
export function readInbox(names: readonly string[]): { accepted: number; pending: string[] } {
  let accepted = 0;
  const pending: string[] = [];
  for (const name of names) {
    const match = /^(\d{16})(\.done)?$/.exec(name);
    if (!match) continue;
    accepted = Math.max(accepted, Number(match[1]));
    if (match[2] === undefined) pending.push(name);
  }
  return { accepted, pending };
}

/** The highest command number in a listing of `cmd/`. */
export function lastCommandFile(names: readonly string[]): number {
  return names.reduce((last, name) => (/^\d+$/.test(name) ? Math.max(last, Number(name)) : last), 0);
}
