import { SessionError } from '../failures';
import { cannotStartIn, inputFull, noSupervisor, sessionOver } from '../session-texts';
import { AgentRefusal } from './channel-lost';
import { asRefusedFile } from './file-refusal';

export interface SessionQuestion {
  /** The computer's name, for messages. */
  computer: string;
  session: string;
  directory: string;
  /** Where it was to start. */
  cwd?: string | undefined;
}

/** A helper's refusal about a session as the error this computer's sessions would give; anything else as it was. */
export function asRefusedSession(thrown: unknown, question: SessionQuestion): unknown {
  if (!(thrown instanceof AgentRefusal)) return thrown;
  const { code, message, extra } = thrown;
  const { computer, session, directory, cwd = '' } = question;
  const where = `on the computer ${computer}`;
  const detail = [message, ...extra].join('\n');
  switch (code) {
    case 'session_not_found':
      return new SessionError(code, session, `There is no session "${session}" ${where}.`, detail);
    case 'session_ended':
      return sessionOver(session, 'ended', detail);
    case 'session_lost':
      return sessionOver(session, 'lost', detail);
    case 'input_full':
      return inputFull(session, Number(extra[0]), detail);
    case 'cwd_missing':
      return cannotStartIn(session, cwd, extra[0] || message, detail);
    case 'supervisor_missing':
      return noSupervisor(session, where, detail);
    case 'shell_missing': {
      const text = `Sessions need bash, and none was found ${where}. Install it there.`;
      return new SessionError(code, session, text, detail);
    }
    case 'no_space': {
      const text = `Session "${session}" cannot take this: the disk ${where} is full. Free some space there.`;
      return new SessionError('disk_full', session, text, detail);
    }
    default:
      return asRefusedFile(thrown, { path: directory, verb: 'use' });
  }
}
