import { z } from 'zod';
import { at, count, nothing, number, run, terminalPage, text } from './parts';

const state = z.enum(['idle', 'busy', 'waiting', 'interactive', 'ended', 'lost', 'unknown']);
const seen = { uid: text, endOffset: count, state, exitCode: number.nullable(), command: text.nullable() };

export const terminalAnswers = {
  'sessions.list': z.array(
    z.object({
      ...seen,
      ...{ run, computer: text, session: text, rows: count, cols: count, lastByteAt: at.nullable() },
      gaps: z.array(z.object({ from: count, to: count })),
    }),
  ),
  'sessions.at': z.array(z.object(seen)),
  'sessions.read': terminalPage,
  'sessions.watch': nothing,
  'sessions.seen': nothing,
};
