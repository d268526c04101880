import { duration } from '@shared/base/amounts';
import { boundText } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import type { ActionContext } from '../../agent/ports';
import { SessionError } from '../../computer/failures';
import type { CommandOutcome, Computer, SessionInfo, SessionState } from '../../computer/port';
import { whyNoCommand, whyNoSessionName } from '../../computer/sessions/layout';
import {
  type ActionArguments,
  type ActionDefinition,
  type ActionEnvironment,
  type ActionResult,
  done,
  failed,
} from '../action';
import { busyMessage } from '../session-desk';
import type { ActionTaskView } from '../task-view';
import { trainingData } from '../training-limit';
import { computerParam, transportParams } from './params';

/** After a polite interrupt, how long until a command over its limit is killed, ms. */
const interruptGraceMs = 1500;

/** Others may hand their commands over at the same moment. */
const maxTries = 3;

const elsewhere =
  'see it in parts with get_session_output (start_lines, end_lines), or redirect such output to a file and read that';

interface Place {
  computer: Computer;
  info: SessionInfo;
  data: Record<string, unknown>;
  note: string;
}

/** Runs shell text in a session: waiting up to the limit, or in the background of the agent's work. */
export const runCommand: ActionDefinition = {
  name: 'run_command',
  family: 'command',
  description: (task) =>
    `Runs a shell command in a session (opened if needed) while you continue; get_session_output shows its output. wait_for_completion=true waits and returns the output, but kills the command after ${duration(task.waitLimitMs)}.`,
  params: [
    computerParam,
    {
      name: 'command',
      type: 'string',
      required: true,
      problem: whyNoCommand,
      note: 'Shell text; may span several lines.',
    },
    {
      name: 'session_id',
      type: 'string',
      required: true,
      lenient: true,
      problem: whyNoSessionName,
      note: 'The session to run in; a new one when omitted.',
    },
    {
      name: 'wait_for_completion',
      type: 'boolean',
      default: false,
    },
    ...transportParams,
  ],
  mayChangeFiles: true,
  async run(args, env, context) {
    const command = args.text('command');
    if (command.trim() === '') return failed('bad_input', 'Not run: the command is empty.');
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const handed = await handOver(computer, sessionOf(args, context), command, env, context);
    const { info, note } = handed;
    const place = placeOf(args, computer, info, note, env.task);
    if ('busy' in handed) {
      const message = busyMessage(info.name, await env.desk.describe(computer, info.id, handed.busy));
      return failed('session_busy', message, { ...place.data, state: handed.busy.state });
    }
    return underWay(place, handed.started, env, context);
  },

  async look(args, env, context) {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const name = sessionOf(args, context);
    const info = await computer.sessions.find(name);
    if (context.lookFor === 'link') return goOn(args, env, context, computer, info);
    const data = {
      computer: computer.name,
      session: name,
      command: args.text('command'),
      async: !args.flag('wait_for_completion'),
      ...trainingData(args.text('command'), env.task),
    };
    const lost = 'The application stopped just before running this command';
    if (!info) {
      return failed(
        'cancelled',
        `${lost}; session ${name} does not exist, so the command did not run.`,
        data,
      );
    }
    const known = env.facts.commandSeqs.get(info.id) ?? 0;
    // One that was handed over and has not begun yet is about to.
    if (info.commandSeq > known) await env.desk.begun(computer, name, known + 1, context.signal);
    const record = (await computer.sessions.commands(name)).find((entry) => entry.commandSeq > known);
    const state = await env.desk.settled(computer, name, context.signal);
    const now = `Session ${name} is ${await env.desk.describe(computer, info.id, state)}.`;
    if (!record)
      return failed('cancelled', `${lost}, and it did not run. ${now}`, { ...data, sessionId: info.id });
    const to = record.endOffset ?? state.endOffset;
    const output = await env.desk.text(computer, name, record.startOffset, to);
    const ended = record.exitCode !== undefined && record.exitCode !== null;
    const how = ended ? `It ended with exit code ${record.exitCode}.` : 'It was not seen to end.';
    return done(
      `The application stopped while this command was running in session ${name}, and was started again. ${how} ${now}\n${shownOutput(output)}`,
      {
        ...data,
        sessionId: info.id,
        commandSeq: record.commandSeq,
        startOffset: record.startOffset,
        endOffset: to,
        ...(ended ? { exitCode: record.exitCode } : {}),
      },
    );
  },
};

/**
 * The session that is named, or a new one, as in the paper. Its name follows from the call, so that whoever looks for the
 * command after a crash finds it.
 */
function sessionOf(args: ActionArguments, { step, call }: ActionContext): string {
  return args.optionalText('session_id') ?? `shell-${step}${call === 0 ? '' : `-${call + 1}`}`;
}

type Handed = { info: SessionInfo; note: string } & (
  | { started: { commandSeq: number; offset: number } }
  | { busy: SessionState }
);

/**
 * One look and the command, for a session that is there. One that is not, or whose shell has ended, is opened first; one
 * that only seems busy, because its shell is on the way to the prompt, gets the command a moment later.
 */
async function handOver(
  computer: Computer,
  name: string,
  command: string,
  env: ActionEnvironment,
  context: ActionContext,
): Promise<Handed> {
  let note = '';
  let opened = false;
  for (let tries = 1; ; ) {
    const met: { info?: SessionInfo } = {};
    try {
      const started = await computer.sessions.run(name, command, (info) => {
        met.info = info;
        env.progress.command = { sessionId: info.id, before: info.commandSeq };
      });
      if (!met.info)
        throw new WaymarkError('bug', `Session ${name} ran a command although its state was not read.`);
      return { info: met.info, note, started };
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      // Refused: nothing was sent, also for whoever goes on after a link broke.
      env.progress.command = undefined;
      if (met.info?.alive && error.reason === 'session_busy') {
        const state = await env.desk.settled(computer, name, context.signal);
        if (state.state !== 'idle' || tries === maxTries) return { info: met.info, note, busy: state };
        tries += 1;
        continue;
      }
      // A shell that ended while the command was on its way to it may have taken it: that is not asked for again.
      if (met.info?.alive || opened || !isOver(error)) throw error;
    }
    ({ note } = await env.desk.open(computer, name));
    opened = true;
  }
}

const isOver = (error: SessionError) =>
  ['session_not_found', 'session_ended', 'session_lost'].includes(error.reason);

function placeOf(
  args: ActionArguments,
  computer: Computer,
  info: SessionInfo,
  note: string,
  task: ActionTaskView,
): Place {
  const command = args.text('command');
  const data = {
    computer: computer.name,
    session: info.name,
    sessionId: info.id,
    command,
    async: !args.flag('wait_for_completion'),
    ...trainingData(command, task),
  };
  return { computer, info, note, data };
}

/** The link broke somewhere in `run`: the command runs once, and nothing tells that there was a break. */
async function goOn(
  args: ActionArguments,
  env: ActionEnvironment,
  context: ActionContext,
  computer: Computer,
  info: SessionInfo | undefined,
): Promise<ActionResult> {
  const sent = env.progress.command;
  if (sent === undefined) return runCommand.run(args, env, context);
  const { sessionId, before } = sent;
  if (info?.id !== sessionId) {
    const name = sessionOf(args, context);
    return {
      ...failed(
        'cancelled',
        `Session ${name} on ${computer.name} is gone: the computer restarted, or something removed it. It is not known whether the command ran; check before you repeat it.`,
        { computer: computer.name, session: name, command: args.text('command') },
      ),
      closedBy: 'interrupted',
    };
  }
  if (info.commandSeq <= before) return runCommand.run(args, env, context);
  const commandSeq = before + 1;
  await env.desk.begun(computer, info.name, commandSeq, context.signal);
  const record = (await computer.sessions.commands(info.name)).find((each) => each.commandSeq === commandSeq);
  // Its line was lost on the way, and the session says that it will not come any more.
  const state = await env.desk.settled(computer, info.name, context.signal);
  if (!record && state.state === 'idle') return runCommand.run(args, env, context);
  const offset = record?.startOffset ?? state.endOffset;
  return underWay(placeOf(args, computer, info, '', env.task), { commandSeq, offset }, env, context);
}

/** A command that was handed over: its result, or that it goes on. */
async function underWay(
  place: Place,
  { commandSeq, offset }: { commandSeq: number; offset: number },
  env: ActionEnvironment,
  context: ActionContext,
): Promise<ActionResult> {
  const { computer, info, note } = place;
  place.data = { ...place.data, commandSeq, startOffset: offset };
  if (place.data.async !== true) {
    const { killing } = env.progress;
    return killing ? killed(place, commandSeq, env) : waited(place, commandSeq, env, context);
  }
  await env.desk.begun(computer, info.name, commandSeq, context.signal);
  return done(
    `${note}Started in session ${info.name} on ${computer.name}. It keeps running; get_session_output shows what it prints.`,
    { ...place.data, endOffset: offset, state: 'busy' },
  );
}

async function waited(
  place: Place,
  commandSeq: number,
  env: ActionEnvironment,
  context: ActionContext,
): Promise<ActionResult> {
  const { sessions, name: computerName } = place.computer;
  const { name } = place.info;
  const limit = Math.max(1, Math.min(env.task.waitLimitMs, context.leftMs));
  let outcome: CommandOutcome;
  try {
    outcome = await sessions.waitCommand(name, commandSeq, { timeoutMs: limit, signal: context.signal });
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return {
      ...failed('cancelled', `Interrupted; the command may still be running in session ${name}.`, place.data),
      closedBy: 'interrupted',
    };
  }
  if (outcome.timedOut) {
    const { state } = await sessions.state(name);
    env.progress.killing = { limit, state };
    return killed(place, commandSeq, env);
  }
  const took =
    outcome.endedAt !== undefined && outcome.startedAt !== undefined
      ? outcome.endedAt - outcome.startedAt
      : 0;
  // Beside each other: what it printed does not change any more.
  const [output, state] = await Promise.all([
    env.desk.text(place.computer, name, outcome.startOffset, outcome.endOffset),
    outcome.exitCode === null || outcome.atPrompt
      ? null
      : env.desk.settled(place.computer, name, context.signal),
  ]);
  const data = {
    ...place.data,
    exitCode: outcome.exitCode,
    startOffset: outcome.startOffset,
    endOffset: outcome.endOffset,
    commandMs: took,
  };
  const where = `in session ${name} on ${computerName}`;
  if (outcome.exitCode === null) {
    return done(
      `${place.note}The shell of session ${name} ended during the command.\n${shownOutput(output)}`,
      data,
    );
  }
  const ended =
    state?.state === 'ended'
      ? ` The shell of session ${name} has ended; the next command gets a new one.`
      : '';
  return done(
    `${place.note}Exit code ${outcome.exitCode} after ${duration(took)} ${where}.${ended}\n${shownOutput(output)}`,
    data,
  );
}

/** Ends a command that ran into its limit; may be called again after the link broke. */
async function killed(place: Place, commandSeq: number, env: ActionEnvironment): Promise<ActionResult> {
  const { sessions } = place.computer;
  const { name } = place.info;
  const { limit, state } = env.progress.killing ?? { limit: env.task.waitLimitMs, state: 'busy' };
  const waiting =
    state === 'waiting' || state === 'interactive'
      ? ' It was waiting for input: start such a program with wait_for_completion=false and answer with input_in_session.'
      : '';
  await sessions.signal(name, 'INT', { graceMs: interruptGraceMs });
  let outcome = await sessions.waitCommand(name, commandSeq, { timeoutMs: 200 });
  if (outcome.timedOut) {
    await sessions.signal(name, 'KILL');
    outcome = await sessions.waitCommand(name, commandSeq, { timeoutMs: 1000 });
  }
  const output = await env.desk.text(place.computer, name, outcome.startOffset, outcome.endOffset);
  const left = outcome.timedOut ? ' It is still alive; check the session.' : '';
  return failed(
    'timed_out',
    `Killed after ${duration(limit)}, the limit for wait_for_completion=true (session ${name}).${left}${waiting} Run long commands with wait_for_completion=false. Its output until then:\n${shownOutput(output)}`,
    {
      ...place.data,
      exitCode: outcome.exitCode,
      startOffset: outcome.startOffset,
      endOffset: outcome.endOffset,
      killed: true,
      ...(state === 'busy' ? {} : { state }),
    },
  );
}

const shownOutput = (output: string) => (output.trim() === '' ? '(no output)' : boundText(output, elsewhere));
