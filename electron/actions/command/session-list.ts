import { counted } from '@shared/base/amounts';
import type { ActionContext } from '../../agent/ports';
import type { Computer, SessionInfo } from '../../computer/port';
import { whyNoSessionName } from '../../computer/sessions/layout';
import { type ActionDefinition, type ActionEnvironment, type ActionResult, done } from '../action';
import { anyComputerParam, computerParam, sessionParam, transportParams } from './params';

/** Opens a named shell; one that exists is left as it is. */
export const createSession: ActionDefinition = {
  name: 'create_session',
  family: 'command',
  description: 'Opens a session; an existing one is left as it is.',
  params: [
    computerParam,
    {
      name: 'session_id',
      type: 'string',
      problem: whyNoSessionName,
      note: 'An unused name when omitted.',
    },
    ...transportParams,
  ],
  async run(args, env, context): Promise<ActionResult> {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const wanted = args.optionalText('session_id');
    const taken = new Set((await computer.sessions.list()).map((session) => session.name));
    let name = wanted ?? 'session-1';
    for (let i = 2; wanted === undefined && taken.has(name); i += 1) name = `session-${i}`;
    env.progress.opening = wanted === undefined || !taken.has(name) ? name : undefined;
    return opened(env, context, computer, await env.desk.open(computer, name));
  },
  async look(args, env, context): Promise<ActionResult> {
    const { opening } = env.progress;
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    // The link broke while it was being opened: it is there by now, or it is opened now.
    if (context.lookFor === 'link' && opening !== undefined) {
      const there = await env.desk.open(computer, opening);
      return opened(env, context, computer, { ...there, created: true });
    }
    return createSession.run(args, env, context);
  },
};

async function opened(
  env: ActionEnvironment,
  context: ActionContext,
  computer: Computer,
  { info, note, created }: Awaited<ReturnType<ActionEnvironment['desk']['open']>>,
): Promise<ActionResult> {
  const { name } = info;
  const data = { computer: computer.name, session: info.name, sessionId: info.id, created };
  if (created) return done(`${note}Session ${name} is open on ${computer.name}, in ${info.cwd}.`, data);
  const state = await env.desk.settled(computer, name, context.signal);
  return done(
    `Session ${name} already exists on ${computer.name} and is ${await env.desk.describe(computer, info.id, state)}${await standing(env, computer, info)}.`,
    { ...data, state: state.state },
  );
}

/** Where a shell stands that is there to be used. */
async function standing(env: ActionEnvironment, computer: Computer, info: SessionInfo): Promise<string> {
  const directory = info.alive ? await env.directoryOf(computer, info.name) : undefined;
  return directory === undefined ? '' : `, in ${directory}`;
}

/** Every session with what it does now. */
export const listSessions: ActionDefinition = {
  name: 'list_sessions',
  family: 'command',
  description: 'Lists all sessions with their state.',
  params: [anyComputerParam],
  async run(args, env, context): Promise<ActionResult> {
    const computers = env.desk.several(args.optionalText('computer_ip'));
    const rows: string[] = [];
    for (const computer of computers) {
      for (const info of await computer.sessions.list()) {
        const state = await env.desk.settled(computer, info.name, context.signal);
        const what = await env.desk.describe(computer, info.id, state);
        rows.push(`${info.name} on ${computer.name}: ${what}${await standing(env, computer, info)}`);
      }
    }
    const names = computers.map((computer) => computer.name);
    return done(
      [
        `${rows.length === 0 ? 'No sessions' : counted(rows.length, 'session')} on ${listed(names)}.`,
        ...rows,
      ].join('\n'),
      { computers: names, sessions: rows.length },
    );
  },
};

/** Ends one session. */
export const closeSession: ActionDefinition = {
  name: 'close_session',
  family: 'command',
  description: 'Closes a session and ends everything in it.',
  params: [computerParam, { ...sessionParam, required: true, note: 'The session.' }],
  mayChangeFiles: true,
  async run(args, env): Promise<ActionResult> {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const info = await env.desk.existing(computer, args.text('session_id'));
    const state = await computer.sessions.state(info.name);
    const events = await env.ledger.close(computer, info);
    return done(
      `Session ${info.name} on ${computer.name} is closed; it was ${await env.desk.describe(computer, info.id, state)}.`,
      { computer: computer.name, session: info.name, sessionId: info.id, state: state.state },
      events,
    );
  },
  async look(args, env, context): Promise<ActionResult> {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const name = args.text('session_id');
    if (await computer.sessions.find(name)) return closeSession.run(args, env, context);
    return done(`Session ${name} on ${computer.name} is closed.`, { computer: computer.name, session: name });
  },
};

/** Ends every session of one computer or of all. */
export const closeAllSessions: ActionDefinition = {
  name: 'close_all_sessions',
  family: 'command',
  description: 'Closes all sessions and ends everything in them.',
  params: [anyComputerParam],
  mayChangeFiles: true,
  async run(args, env): Promise<ActionResult> {
    const computers = env.desk.several(args.optionalText('computer_ip'));
    const closed: string[] = [];
    const events: ActionResult['events'] = [];
    for (const computer of computers) {
      for (const info of await computer.sessions.list()) {
        events.push(...(await env.ledger.close(computer, info)));
        closed.push(`${info.name} on ${computer.name}`);
      }
    }
    const where = listed(computers.map((computer) => computer.name));
    return done(
      closed.length === 0
        ? `There were no sessions on ${where}.`
        : `Closed ${counted(closed.length, 'session')}: ${closed.join(', ')}.`,
      { computers: computers.map((computer) => computer.name), closed: closed.length },
      events,
    );
  },
};

/** Names in a sentence: `local, gpu-1, and gpu-2`. */
const listed = (names: readonly string[]) => new Intl.ListFormat('en').format(names);
