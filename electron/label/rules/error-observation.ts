import { rule } from '../rule';

/** A command that ran and exited non-zero is no failed action: `command-failed` speaks of it. */
export const errorObservation = rule({
  id: 'error-observation',
  version: 2,
  effect: 'mask',
  hard: true,
  on: true,
  text: 'The action itself failed: refused, invalid, not found, timed out, or an exception. An evaluation that was unavailable is no fault of its step.',
  citation:
    'APOLLO §3.4: "the action with an error message in the observation will be masked by symbolic rules"',
  parameters: {},
  hears: ['model.answered', 'action.observed'],
  start: () => (event) => {
    if (event.kind === 'action.observed' && event.body.error !== null) {
      const { step, name, error } = event.body;
      if (error.code === 'evaluation_unavailable') return [];
      return [{ step, why: `${name} failed with ${error.code}: ${firstLine(error.message)}`, steps: [] }];
    }
    if (event.kind === 'model.answered' && event.body.kind !== 'null') {
      const at = event.body.invalid.findIndex((problem) => problem !== null);
      const problem = event.body.invalid[at];
      if (problem) {
        const name = event.body.calls[at]?.name ?? '';
        return [
          { step: event.body.step, why: `Call of ${name} is invalid: ${firstLine(problem)}`, steps: [] },
        ];
      }
    }
    return [];
  },
});

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
