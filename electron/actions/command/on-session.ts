import type { Computer, SessionInfo } from '../../computer/port';
import { type ActionDefinition, done } from '../action';

type Run = ActionDefinition['run'];
type Rest = Parameters<Run>;

/**
 * The `run` of an action about an open session, that which `computerParam` and `sessionParam` name. Where none is open it says so:
 * nothing has gone wrong.
 */
export function onSession(
  act: (at: { computer: Computer; info: SessionInfo }, ...rest: Rest) => ReturnType<Run>,
): Run {
  return async (args, env, context) => {
    const computer = env.desk.computer(args.optionalText('computer_ip'));
    const info = await env.desk.asked(computer, args.optionalText('session_id'));
    if (info === null) return done(env.desk.noneOpen(computer), { computer: computer.name });
    return act({ computer, info }, args, env, context);
  };
}
