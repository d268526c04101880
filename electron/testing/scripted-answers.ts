import type { ScriptedAnswer } from '../model/scripted-answer';
import type { ScriptedPolicy } from '../model/scripted-server';

/** A call as a scripted model makes it. */
export const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args });

/** The command in a session of the computer, by default until it has ended. */
export const commandOn = (computer: string, command: string, wait = true, session = 'main') =>
  call('run_command', { computer_ip: computer, session_id: session, command, wait_for_completion: wait });

/** Goes on in session main of this machine while the agent does something else. */
export const sleepsOn = commandOn('local', 'sleep 300', false);

/** Puts a thing where `LoopStand` keeps them. */
export const put = (item: string) => call('put', { item });

/** Ends the run. */
export const finish: ScriptedAnswer = { text: 'Done.', calls: [call('finish')] };

/** The n-th answer of the run, whatever was asked how often; the last one is repeated. */
export const steps =
  (...answers: ScriptedAnswer[]): ScriptedPolicy =>
  ({ answers: given }) =>
    answers[Math.min(given, answers.length - 1)] ?? {};
