import { SessionError } from './failures';

/** What is said about sessions when something is wrong; the same words for this computer and for a distant one. */

export function sessionOver(session: string, life: 'ended' | 'lost', detail?: string): SessionError {
  return life === 'ended'
    ? new SessionError(
        'session_ended',
        session,
        `Session "${session}" has ended. Close it and create it again.`,
        detail,
      )
    : new SessionError(
        'session_lost',
        session,
        `Session "${session}" was lost. Close it and create it again.`,
        detail,
      );
}

/** `waiting`: bytes nobody has read yet. */
export function inputFull(session: string, waiting: number, detail?: string): SessionError {
  return new SessionError(
    'input_full',
    session,
    `The program in session "${session}" has not read ${waiting} bytes of earlier input. Wait for it or stop it.`,
    detail,
  );
}

/** `text`: why not, a clause. */
export function cannotStartIn(session: string, cwd: string, text: string, detail?: string): SessionError {
  return new SessionError(
    'cwd_missing',
    session,
    `Session "${session}" cannot start in ${cwd}: ${text}. Choose a directory that exists.`,
    detail,
  );
}

/** `where`: as in "on the computer gpu-1", or empty for this one. */
export function noSupervisor(session: string, where: string, detail?: string): SessionError {
  const there = where === '' ? '' : ` ${where}`;
  return new SessionError(
    'supervisor_missing',
    session,
    `Sessions need perl (with its POSIX module) or python3, and neither could be started${there}. Install perl.`,
    detail,
  );
}

/** `said`: by the sandbox or by what starts first in it; may be empty. */
export function sandboxRefused(session: string, said: string): SessionError {
  const exchanged = said.includes('shown folder was exchanged');
  const why = said === '' ? 'it ended without a message' : said.replace(/\.$/, '');
  const next = exchanged
    ? 'Put the folder back as it was, or start a new run.'
    : 'Remove the cause, then create the session again.';
  return new SessionError(
    'sandbox_refused',
    session,
    `Session "${session}" was not started because its sandbox could not be set up: ${why}. ${next}`,
  );
}

/** `said`: by what holds the session's terminal, which started and could not go on. */
export function startFailed(session: string, said: string, detail?: string): SessionError {
  const isFull = /no space left|disk quota/i.test(said);
  return new SessionError(
    isFull ? 'disk_full' : 'start_failed',
    session,
    `Session "${session}" could not be started: ${said.replace(/\.$/, '')}. ${isFull ? 'Free space' : 'Remove the cause'}, then create it again.`,
    detail,
  );
}
