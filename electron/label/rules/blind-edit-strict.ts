import type { Rule } from '../rule';

/** The paper's own wording; part of the paper preset only. */
export const blindEditStrict: Rule = {
  id: 'blind-edit-strict',
  version: 1,
  effect: 'mask',
  hard: false,
  on: false,
  text: 'A file is changed at step i without its content having been inspected at step i − 1; the second of two edits in a row always fails.',
  citation:
    'APOLLO appendix E, priority 5: "Delete any actions that modifies a file at step i unless its current contents have been inspected at step i−1"',
  parameters: {},
  start:
    () =>
    (_, { edits }) =>
      edits
        .filter(
          ({ existed, step, lookedAt, editedAt }) =>
            existed && (lookedAt !== step - 1 || editedAt === step - 1),
        )
        .slice(0, 1)
        .map(({ step, path, action, editedAt }) => {
          const twice = editedAt !== null && editedAt >= step - 1;
          return {
            step,
            why: twice
              ? `${action} changes ${path} right after step ${editedAt} edited it.`
              : `${action} changes ${path}, whose content was not inspected at step ${step - 1}.`,
            steps: twice && editedAt < step ? [editedAt] : [],
          };
        }),
};
