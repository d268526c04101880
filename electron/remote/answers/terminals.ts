import { z } from 'zod';
import { listOf } from './list-of';
import { at, count, nothing, number, run, terminalPage, text } from './parts';

const state = z.enum(['idle', 'busy', 'waiting', 'interactive', 'ended', 'lost', 'unknown']);
const seen = { uid: text, endOffset: count, state, exitCode: number.nullable(), command: text.nullable() };

export const terminalAnswers = {
  'sessions.list': listOf(
    z.object({
      ...seen,
      ...{ run, computer: text, session: text, rows: count, cols: count, lastByteAt: at.nullable() },
      gaps: listOf(z.object({ from: count, to: count })),
    }),
  ),
  'sessions.at': listOf(z.object(seen)),
  'sessions.read': terminalPage,
  'sessions.watch': nothing,
  'sessions.seen': nothing,
};
