import { counted, duration } from '@shared/base/amounts';
import type { SessionProcess } from '../../computer/port';
import { type ActionDefinition, done, failed } from '../action';
import { onSession } from './on-session';
import { computerParam, sessionParam } from './params';

const maxProcesses = 30;

/** Whether a session could take a command now, with the reason. */
export const checkSessionIdle: ActionDefinition = {
  name: 'check_session_idle',
  aliases: ['session_idle'],
  family: 'command',
  description: 'Says whether a session is idle, busy or waiting for input, and why.',
  params: [computerParam, sessionParam],
  mayChangeFiles: true,
  run: onSession(async ({ computer, info }, _, env, context) => {
    const state = await env.desk.settled(computer, info.name, context.signal);
    return done(
      `Session ${info.name} on ${computer.name} is ${await env.desk.describe(computer, info.id, state)}. ${state.reason}`,
      {
        computer: computer.name,
        session: info.name,
        sessionId: info.id,
        state: state.state,
        idle: state.state === 'idle',
        endOffset: state.endOffset,
      },
    );
  }),
};

/** A session's state with its foreground processes and its last command. */
export const getSessionStatus: ActionDefinition = {
  name: 'get_session_status',
  aliases: ['session_status'],
  family: 'command',
  description: "Shows a session's state, directory, processes and time of last output.",
  params: [computerParam, sessionParam],
  mayChangeFiles: true,
  run: onSession(async ({ computer, info }, _, env, context) => {
    const state = await env.desk.settled(computer, info.name, context.signal);
    const now = await env.desk.now(computer);
    const directory = await env.directoryOf(computer, info.name);
    const last = (await computer.sessions.commands(info.name)).at(-1);
    const processes = state.foreground.slice(0, maxProcesses);
    return done(
      [
        `Session ${info.name} on ${computer.name} is ${await env.desk.describe(computer, info.id, state)}. ${state.reason}`,
        `${directory === undefined ? `Opened in ${info.cwd}` : `Directory: ${directory}`}. Last output ${duration(now - state.lastByteAt)} ago.`,
        ...(last?.exitCode === undefined
          ? []
          : [`Last command ended with exit code ${last.exitCode ?? 'unknown'}.`]),
        ...processes.map((process) => `process ${process.pid} (${process.stat}): ${process.command}`),
        ...(state.foreground.length > maxProcesses
          ? [`and ${state.foreground.length - maxProcesses} more processes`]
          : []),
      ].join('\n'),
      {
        computer: computer.name,
        session: info.name,
        sessionId: info.id,
        state: state.state,
        endOffset: state.endOffset,
      },
    );
  }),
};

/** A process that has ended and only waits to be collected is no news. */
const lives = (process: SessionProcess) => !process.stat.startsWith('Z');

/** From asking politely to killing, ms (the reference waits one second). */
const politeMs = 1000;

/** Ends what runs in a session; its shell stays. */
export const killSessionProcesses: ActionDefinition = {
  name: 'kill_session_processes',
  family: 'command',
  description:
    'Stops everything running in a session, background jobs too, but keeps the session. force=true kills at once.',
  params: [
    computerParam,
    sessionParam,
    { name: 'force', type: 'boolean', default: false, note: 'Kill at once.' },
  ],
  mayChangeFiles: true,
  run: onSession(async ({ computer, info }, args, env, context) => {
    const { sessions } = computer;
    let outcome = args.flag('force')
      ? await sessions.signal(info.name, 'KILL')
      : await sessions.signal(info.name, 'TERM', { graceMs: politeMs });
    const ended = new Map(outcome.signalled.filter(lives).map((process) => [process.pid, process.command]));
    let killed = 0;
    if (!args.flag('force') && outcome.remaining.length > 0) {
      killed = outcome.remaining.length;
      outcome = await sessions.signal(info.name, 'KILL');
      for (const process of outcome.signalled.filter(lives)) ended.set(process.pid, process.command);
    }
    for (const process of outcome.remaining) ended.delete(process.pid);
    const state = await env.desk.settled(computer, info.name, context.signal);
    const data = {
      computer: computer.name,
      session: info.name,
      sessionId: info.id,
      ended: ended.size,
      state: state.state,
      endOffset: state.endOffset,
    };
    const now = `Session ${info.name} is ${await env.desk.describe(computer, info.id, state)}.`;
    const rows = [...ended].slice(0, maxProcesses).map(([pid, command]) => `${pid}: ${command}`);
    if (outcome.remaining.length > 0) {
      const stuck = outcome.remaining.map((process) => `${process.pid}: ${process.command}`);
      return failed(
        'timed_out',
        [`Still alive after KILL: ${stuck.join('; ')}. ${now}`, ...rows].join('\n'),
        data,
      );
    }
    if (ended.size === 0) return done(`Nothing was running in session ${info.name}. ${now}`, data);
    const forced = killed > 0 ? ` (${killed} of them had to be killed)` : '';
    return done(
      [`Ended ${counted(ended.size, 'process', 'processes')}${forced}. ${now}`, ...rows].join('\n'),
      data,
    );
  }),
};
