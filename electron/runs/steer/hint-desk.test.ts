import { expect, test } from 'vitest';
import { alice, createRun } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import { HintDesk } from './hint-desk';

test('a hint that waits for a score is refused by name where the task of a run cannot be read', async () => {
  const store = testStore();
  // What this run's log holds of its task is not a whole specification, as in a workspace somebody else wrote.
  const run = await createRun(store);
  const hints = new HintDesk(store);
  const { id } = await hints.queue(run, alice, { text: 'Look at the loss.', category: 'other' });
  const edited = hints.edit(run, alice, id, {
    text: 'Look at the loss.',
    category: 'other',
    deliver: { when: 'score_changes' },
  });
  await expect(edited).rejects.toMatchObject({
    code: 'task_invalid',
    message: expect.stringContaining('cannot be read'),
  });
});
