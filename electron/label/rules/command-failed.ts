import type { EventBody, RunEvent } from '@shared/events';
import type { Finding, Rule } from '../rule';

/**
 * Soft, so that systematic debugging can be kept. The exit code of a command that ran on beside other steps is
 * reported by a later observation; the finding is about the step that started it.
 */
export const commandFailed: Rule = {
  id: 'command-failed',
  version: 1,
  effect: 'mask',
  hard: false,
  text: 'A command ran and exited with a code other than 0.',
  citation: 'APOLLO appendix E, priority 3: "error-prone actions"',
  parameters: {},
  start: () => {
    /** Commands whose exit code is still open, keyed session and number: the step that started them. */
    const running = new Map<string, { step: number; command: string }>();
    return (event: RunEvent): Finding[] => {
      if (event.kind !== 'action.observed') return [];
      const { step, name, error, data } = event.body;
      const key = commandKey(data);
      const exitCode = typeof data.exitCode === 'number' ? data.exitCode : null;
      const command = typeof data.command === 'string' ? data.command : '';
      if (name === 'run_command') {
        if (exitCode === null) {
          if (key !== null && error === null) running.set(key, { step, command });
          return [];
        }
        return exitCode === 0 || error !== null
          ? []
          : [{ step, why: sentence(exitCode, command), steps: [] }];
      }
      const started = key === null ? undefined : running.get(key);
      if (key === null || !started || exitCode === null) return [];
      running.delete(key);
      if (exitCode === 0) return [];
      const why = `${sentence(exitCode, started.command)} Step ${step} saw it.`;
      return [{ step: started.step, why, steps: [step] }];
    };
  },
};

function commandKey(data: EventBody<'action.observed'>['data']): string | null {
  const session = typeof data.sessionId === 'string' ? data.sessionId : null;
  return session !== null && typeof data.commandSeq === 'number' ? `${session} ${data.commandSeq}` : null;
}

function sentence(exitCode: number, command: string): string {
  const line = command.trim().split('\n', 1)[0] ?? '';
  const shown = line.length > 80 ? `${line.slice(0, 79)}…` : line;
  return shown === '' ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${shown}`;
}
