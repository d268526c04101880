import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionError } from '../failures';
import { cannotStartIn, noSupervisor, sandboxRefused, startFailed } from '../session-texts';
import type { StartOrder } from '../sessions/backend';

export type SupervisorKind = 'perl' | 'python3';

const programs: Record<SupervisorKind, { args: string[]; file: string }> = {
  perl: { args: ['-'], file: 'supervisor.pl' },
  python3: { args: ['-I', '-'], file: 'supervisor.py' },
};

export interface SupervisorStart {
  order: StartOrder;
  startFile: string;
  bash: string;
  /** `bwrap` and what it shows, for a shell in a sandbox; empty for one without. */
  wrap: readonly string[];
}

/**
 * Starts the process that holds a session's terminal and returns once it stands on its own.
 * `exists`: the directory was there already. Tries the kinds in order; one that is not installed or cannot run is skipped.
 * @throws SessionError cwd_missing, shell_missing, sandbox_refused, start_failed, disk_full, supervisor_missing
 */
export async function startSupervisor(
  kinds: readonly SupervisorKind[],
  resourcesDir: string,
  start: SupervisorStart,
): Promise<'started' | 'exists'> {
  const { order } = start;
  const failures: string[] = [];
  let said: string | undefined;
  for (const kind of kinds) {
    const answer = await launch(kind, resourcesDir, start);
    const [, verdict, code, text] = /^(OK|ERR) (\S+) ?(.*)/.exec(answer.line) ?? [];
    if (verdict === 'OK') return 'started';
    if (code === 'session_exists') return 'exists';
    if (code === 'cwd_missing') {
      throw cannotStartIn(order.name, order.cwd, text ?? '');
    }
    if (code === 'shell_missing') {
      throw new SessionError('shell_missing', order.name, `Sessions need bash: ${text}. Install bash.`);
    }
    // The sandbox is the same whoever starts it.
    if (code === 'sandbox') throw sandboxRefused(order.name, text?.trim() ?? '');
    if (verdict === 'ERR') said ??= text?.trim() ?? code;
    failures.push(`${kind}: ${answer.line || answer.problem}`);
  }
  if (said !== undefined) throw startFailed(order.name, said, failures.join('\n'));
  throw noSupervisor(order.name, '', failures.join('\n'));
}

/** Whether a kind can run here. */
export async function supervisorRuns(kind: SupervisorKind): Promise<boolean> {
  const check = kind === 'perl' ? ['-MPOSIX', '-MFcntl', '-e', '1'] : ['-c', 'import fcntl, termios'];
  return new Promise((resolve) => {
    const child = spawn(kind, check, { stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

/** Gives back space of the log of a session that is over, as far as this computer can. */
export async function dropWithoutSupervisor(
  kinds: readonly SupervisorKind[],
  resourcesDir: string,
  directory: string,
  upTo: number,
): Promise<void> {
  const environment = { PATH: process.env.PATH ?? '' };
  for (const kind of kinds) {
    const { line } = await execute(kind, resourcesDir, ['--drop', directory, String(upTo)], environment);
    if (/^\d+$/.test(line)) return;
  }
}

function launch(
  kind: SupervisorKind,
  resourcesDir: string,
  { order, startFile, bash, wrap }: SupervisorStart,
): Promise<{ line: string; problem: string }> {
  const { directory, rows, cols, cwd } = order;
  return execute(kind, resourcesDir, [directory, String(rows), String(cols), cwd, startFile, bash, ...wrap], {
    ...order.env,
    WAYMARK_NONCE: order.nonce,
    WAYMARK_SESSION: order.id,
    WAYMARK_PROFILE: order.profile ? '1' : '0',
    WAYMARK_LIMIT: String(order.limitBytes),
  });
}

async function execute(
  kind: SupervisorKind,
  resourcesDir: string,
  more: string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ line: string; problem: string }> {
  const { args, file } = programs[kind];
  // Over standard input, so that it also works from inside a packed application.
  const source = await readFile(join(resourcesDir, 'sessions', file));
  return new Promise((resolve) => {
    const child = spawn(kind, [...args, ...more], {
      cwd: '/',
      detached: true,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let out = '';
    let problem = '';
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      problem = (problem + data.toString()).slice(-2000);
    });
    child.on('error', (error) => resolve({ line: '', problem: error.message }));
    // A program that refuses to start may close its input first; its exit tells.
    child.stdin.on('error', (error) => {
      problem += error.message;
    });
    // 'close', not 'exit': all of the answer has been read then. The supervisor lets go of these pipes once it stands.
    child.on('close', () => resolve({ line: out.trim(), problem: problem.trim() }));
    child.stdin.end(source);
  });
}
