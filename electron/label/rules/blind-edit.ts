import { type FileEdit, isBlind } from '../file-edit';
import { type Finding, rule } from '../rule';

/** Wider than the paper's rule: the look may lie any number of steps back, as long as the file has not changed since. */
export const blindEdit = rule({
  id: 'blind-edit',
  version: 4,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'An existing file is changed without having been looked at since its last change. What an edit shows and what the agent wrote itself need no look.',
  citation: 'APOLLO §3.4: "making blind file modifications without verifying prior states"',
  parameters: {},
  hears: ['action.observed'],
  start:
    () =>
    (_, { edits }) =>
      edits.filter(isBlind).slice(0, 1).map(blind),
});

function blind({ step, path, changedAt, action }: FileEdit): Finding {
  return changedAt === null
    ? { step, why: `${action} changes ${path}, which was never looked at.`, steps: [] }
    : {
        step,
        why: `${action} changes ${path}, which was not looked at since step ${changedAt} changed it.`,
        steps: changedAt < step ? [changedAt] : [],
      };
}
