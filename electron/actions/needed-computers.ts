import type { ParsedCall } from '../agent/ports';
import type { ActionDefinition } from './action';
import type { ActionTaskView } from './task-view';

/** The computers a call cannot do without: while one of them is away the call waits, whatever the others do. */
export function neededComputers(
  call: ParsedCall,
  action: ActionDefinition,
  task: ActionTaskView,
): ReadonlySet<string> {
  const param = action.params.find(({ name }) => name === 'computer_ip');
  if (param) {
    const named = call.args.computer_ip;
    if (typeof named === 'string') return new Set([task.aliases[named] ?? named]);
    const all = param.required === undefined;
    return new Set(all ? task.computers.map(({ name }) => name) : [task.filesComputer]);
  }
  return new Set(action.family === 'file' || action.name === 'eval' ? [task.filesComputer] : []);
}
