import { SessionError, type SessionErrorReason } from '../failures';
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

type Words = (question: SessionQuestion, refusal: AgentRefusal) => string;

const words: Partial<Record<string, { reason: SessionErrorReason; text: Words }>> = {
  session_not_found: {
    reason: 'session_not_found',
    text: ({ session, computer }) => `There is no session "${session}" on the computer ${computer}.`,
  },
  session_ended: {
    reason: 'session_ended',
    text: ({ session }) => `Session "${session}" has ended. Close it and create it again.`,
  },
  session_lost: {
    reason: 'session_lost',
    text: ({ session }) => `Session "${session}" was lost. Close it and create it again.`,
  },
  input_full: {
    reason: 'input_full',
    text: ({ session }, { extra }) =>
      `The program in session "${session}" has not read ${extra[0] ?? 'all'} bytes of earlier input. Wait for it or stop it.`,
  },
  cwd_missing: {
    reason: 'cwd_missing',
    text: ({ session, cwd }, { extra, message }) =>
      `Session "${session}" cannot start in ${cwd}: ${extra[0] || message}. Choose a directory that exists.`,
  },
  shell_missing: {
    reason: 'shell_missing',
    text: ({ computer }) =>
      `Sessions need bash, and none was found on the computer ${computer}. Install it there.`,
  },
  supervisor_missing: {
    reason: 'supervisor_missing',
    text: ({ computer }) =>
      `Sessions need perl (with its POSIX module) or python3, and neither could be started on the computer ${computer}. Install perl there.`,
  },
  no_space: {
    reason: 'disk_full',
    text: ({ session, computer }) =>
      `The disk of the computer ${computer} is full, so session "${session}" cannot take this. Free some space there.`,
  },
};

/** A helper's refusal about a session as the error this computer's sessions would give; anything else as it was. */
export function asRefusedSession(thrown: unknown, question: SessionQuestion): unknown {
  if (!(thrown instanceof AgentRefusal)) return thrown;
  const known = words[thrown.code];
  if (!known) return asRefusedFile(thrown, { path: question.directory, verb: 'use' });
  const detail = [thrown.message, ...thrown.extra].join('\n');
  return new SessionError(known.reason, question.session, known.text(question, thrown), detail);
}
