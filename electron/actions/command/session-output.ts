import { counted } from '@shared/base/amounts';
import { boundText } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import type { ActionContext } from '../../agent/ports';
import type { Computer, SessionInfo, SessionState } from '../../computer/port';
import {
  type ActionArguments,
  type ActionDefinition,
  type ActionEnvironment,
  type ActionResult,
  done,
  failed,
} from '../action';
import { sessionKeys } from '../session-desk';
import { onSession } from './on-session';
import { computerParam, sessionParam } from './params';

/** The lines of `count` that remain when the last `end` are dropped and then the last `start` of all are kept. */
export function sliceFromEnd(count: number, start: number, end: number): { from: number; to: number } {
  const to = Math.max(0, count - end);
  return { from: Math.min(to, Math.max(0, count - start)), to };
}

const inParts = 'ask for fewer lines at a time with start_lines and end_lines';

async function shown(
  env: ActionEnvironment,
  computer: Computer,
  info: SessionInfo,
  what: string,
  lines: string[],
  endOffset: number,
  signal: AbortSignal,
): Promise<ActionResult> {
  const state = await env.desk.settled(computer, info.name, signal);
  const text = lines.join('\n').trimEnd();
  return done(
    `${what} Session ${info.name} on ${computer.name} is ${await env.desk.describe(computer, info.id, state)}.\n${text === '' ? '(nothing)' : boundText(text, inParts)}`,
    {
      computer: computer.name,
      session: info.name,
      sessionId: info.id,
      state: state.state,
      lines: lines.length,
      endOffset,
    },
  );
}

/** Wall-clock seconds or milliseconds since 1970 as ms. */
const asMs = (timestamp: number) => (timestamp > 1e11 ? timestamp : timestamp * 1000);

async function since(env: ActionEnvironment, computer: Computer, info: SessionInfo, at: number) {
  const offset = env.offsetAt(computer.name, info.name, at) ?? 0;
  const { lines, endOffset, partial } = await env.desk.lines(computer, info, offset);
  return { lines, endOffset, partial };
}

const partialNote = (partial: boolean) => (partial ? ' Only the last 4 MB were read.' : '');

/** The end of a session's output, counted in logical lines. */
export const getSessionOutput: ActionDefinition = {
  name: 'get_session_output',
  family: 'command',
  description: "Shows the last start_lines lines of a session's output, minus the last end_lines.",
  params: [
    computerParam,
    sessionParam,
    {
      name: 'start_lines',
      type: 'integer',
      default: 50,
      min: 1,
      note: 'How many lines before the end the view begins.',
    },
    {
      name: 'end_lines',
      type: 'integer',
      min: 0,
      note: 'How many lines before the end it stops; 0 = at the end.',
    },
    {
      name: 'since_timestamp',
      type: 'number',
      description: 'Unix time in seconds; instead of lines.',
    },
  ],
  mayChangeFiles: true,
  run: onSession(async ({ computer, info }, args, env, context) => {
    const timestamp = args.optionalNumber('since_timestamp');
    if (timestamp !== undefined) {
      const { lines, endOffset, partial } = await since(env, computer, info, asMs(timestamp));
      const what = `${counted(lines.length, 'line')} since then.${partialNote(partial)}`;
      return shown(env, computer, info, what, lines, endOffset, context.signal);
    }
    let start = args.number('start_lines');
    let end = args.optionalNumber('end_lines') ?? 0;
    if (start < end) [start, end] = [end, start];
    if (start === end) end = 0;
    const { lines, endOffset, partial } = await env.desk.lines(computer, info);
    const { from, to } = sliceFromEnd(lines.length, start, end);
    const what =
      to <= from
        ? `No lines in that range: the output has ${counted(lines.length, 'line')}.`
        : `Lines ${from + 1}-${to} of ${lines.length}${partial ? ' in the last 4 MB' : ''}.`;
    return shown(env, computer, info, what, lines.slice(from, to), endOffset, context.signal);
  }),
};

/** What a session printed in the last seconds. */
export const getSessionRecentOutput: ActionDefinition = {
  name: 'get_session_recent_output',
  family: 'command',
  description: 'Shows what a session printed in the last `seconds`.',
  params: [
    computerParam,
    sessionParam,
    { name: 'seconds', type: 'integer', default: 10, min: 1, note: 'How far to look back.' },
  ],
  mayChangeFiles: true,
  run: onSession(async ({ computer, info }, args, env, context) => {
    const seconds = args.number('seconds');
    const { lines, endOffset, partial } = await since(env, computer, info, env.clock.now() - seconds * 1000);
    const what = `${counted(lines.length, 'line')} in about the last ${seconds} s.${partialNote(partial)}`;
    return shown(env, computer, info, what, lines, endOffset, context.signal);
  }),
};

/** Hides what was printed so far from later looks; the log keeps it. */
export const clearSessionBuffer: ActionDefinition = {
  name: 'clear_session_buffer',
  family: 'command',
  description: "Discards a session's output so far.",
  params: [computerParam, sessionParam],
  run: onSession(async ({ computer, info }) => {
    return done(`Cleared the output so far of session ${info.name} on ${computer.name}.`, {
      computer: computer.name,
      session: info.name,
      sessionId: info.id,
      clearedTo: info.endOffset,
      endOffset: info.endOffset,
    });
  }),
};

/** How long to wait for a first answer to an input, how long a pause ends it, and how often to look, ms. */
const answerMs = 2000;
const quietMs = 400;
const lookMs = 30;

/**
 * The state once the program has answered: back at the prompt, or quiet for a moment (the echo of what was typed comes
 * before the program has even read it), or at the latest after two seconds.
 */
async function answered(
  env: ActionEnvironment,
  computer: Computer,
  name: string,
  from: number,
  context: ActionContext,
): Promise<SessionState> {
  const monotonic = () => env.clock.monotonic();
  const until = monotonic() + Math.min(answerMs, context.leftMs);
  let state = await computer.sessions.state(name);
  let changedAt = monotonic();
  while (monotonic() < until && !context.signal.aborted) {
    if (state.state === 'idle' || state.state === 'ended' || state.state === 'lost') return state;
    const spoke = state.endOffset > from;
    if (spoke && state.state !== 'busy' && monotonic() - changedAt >= quietMs) return state;
    // A stop ends the waiting, not the action: what was typed stays typed.
    await env.clock.sleep(lookMs, context.signal).catch((error) => {
      if (!context.signal.aborted) throw error;
    });
    const next = await computer.sessions.state(name);
    if (next.endOffset !== state.endOffset) changedAt = monotonic();
    state = next;
  }
  return state;
}

/** Types a line into a program that waits for it. */
export const inputInSession: ActionDefinition = {
  name: 'input_in_session',
  family: 'command',
  description:
    'Types a line and Enter into a program waiting for input. A control character alone, such as \\u0003, is sent even to a busy program.',
  params: [
    computerParam,
    sessionParam,
    {
      name: 'input_text',
      type: 'string',
      emptyIsValue: true,
      note: 'What to type; only Enter when omitted.',
    },
  ],
  mayChangeFiles: true,
  async run(args, env, context) {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const info = await env.desk.existing(computer, args.optionalText('session_id'));
    const text = args.text('input_text');
    const control = sessionKeys.test(text);
    const { sessions } = computer;
    const before = await sessions.state(info.name);
    const data = { computer: computer.name, session: info.name, sessionId: info.id, input: text };
    const how = await env.desk.describe(computer, info.id, before);
    if (before.state === 'idle') {
      return failed(
        'refused',
        `Not typed: session ${info.name} is idle, and no program is waiting for input. Use run_command.`,
        { ...data, state: before.state },
      );
    }
    if (
      before.state !== 'waiting' &&
      before.state !== 'interactive' &&
      !(control && before.state === 'busy')
    ) {
      return failed(
        'refused',
        `Not typed: session ${info.name} is not waiting for input; it is ${how}. View it with get_session_output, or interrupt it with \\u0003 as input_text.`,
        { ...data, state: before.state },
      );
    }
    const inputSeq = info.inputSeq + 1;
    env.progress.typing = { sessionId: info.id, inputSeq, endOffset: before.endOffset };
    return type(args, env, context, computer, info.name);
  },
  async look(args, env, context) {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const { typing } = env.progress;
    if (context.lookFor === 'link' && typing === undefined) return inputInSession.run(args, env, context);
    const info = await env.desk.existing(computer, args.optionalText('session_id'));
    if (context.lookFor === 'link' && typing?.sessionId === info.id) {
      return type(args, env, context, computer, info.name);
    }
    const { lines, endOffset } = await env.desk.lines(computer, info);
    const why =
      context.lookFor === 'link' ? 'The session was replaced by another one' : 'The application stopped';
    const what = `${why} just before or while typing, so it is unknown whether the input was typed. The last lines:`;
    return {
      ...(await shown(env, computer, info, what, lines.slice(-20), endOffset, context.signal)),
      ok: false,
      error: { code: 'cancelled', message: 'It is unknown whether the input was typed.' },
      closedBy: 'interrupted',
    };
  },
};

/** Types under the number that was chosen for it, which makes typing twice impossible, and waits for an answer. */
async function type(
  args: ActionArguments,
  env: ActionEnvironment,
  context: ActionContext,
  computer: Computer,
  name: string,
): Promise<ActionResult> {
  const { typing } = env.progress;
  if (typing === undefined) throw new WaymarkError('bug', 'Nothing was chosen to be typed.');
  const text = args.text('input_text');
  const bytes = Buffer.from(sessionKeys.test(text) ? text : `${text}\n`, 'utf8');
  await computer.sessions.write(name, bytes, typing.inputSeq);
  const after = await answered(env, computer, name, typing.endOffset, context);
  const output = await env.desk.text(computer, name, typing.endOffset, after.endOffset);
  return done(
    `Typed into session ${name}, which is now ${await env.desk.describe(computer, typing.sessionId, after)}. It printed:\n${output.trim() === '' ? '(nothing yet)' : boundText(output, 'get_session_output shows it in parts')}`,
    {
      computer: computer.name,
      session: name,
      sessionId: typing.sessionId,
      input: text,
      state: after.state,
      startOffset: typing.endOffset,
      endOffset: after.endOffset,
    },
  );
}
