import { isSecondEdit } from '../file-edit';
import { rule } from '../rule';

/** The paper's own wording; part of the paper preset only. */
export const blindEditStrict = rule({
  id: 'blind-edit-strict',
  version: 4,
  effect: 'mask',
  hard: false,
  on: false,
  text: 'A file is changed at step i without its content having been inspected at step i − 1; the second of two edits in a row always fails.',
  citation:
    'APOLLO appendix E, priority 5: "Delete any actions that modifies a file at step i unless its current contents have been inspected at step i−1"',
  parameters: {},
  hears: ['action.observed'],
  start:
    () =>
    (_, { edits }) =>
      edits
        .filter((edit) => edit.existed && (edit.lookedAt !== edit.step - 1 || isSecondEdit(edit)))
        .slice(0, 1)
        .map((edit) => {
          const { step, path, action, editedAt } = edit;
          const twice = isSecondEdit(edit);
          return {
            step,
            why: twice
              ? `${action} changes ${path} right after step ${editedAt} edited it.`
              : `${action} changes ${path}, whose content was not inspected at step ${step - 1}.`,
            steps: twice && editedAt !== null && editedAt < step ? [editedAt] : [],
          };
        }),
});
