import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createdBody } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import { HintDesk } from './hint-desk';

test.each([
  // As in a workspace somebody else wrote: what the log holds of the task is not a whole specification.
  { spec: { title: 'Half a task' }, code: 'task_invalid', says: 'cannot be read' },
  { spec: {}, code: 'refused', says: 'were removed' },
])('a hint that waits for a score says why the task of its run says nothing of scores: $says', async ({
  spec,
  code,
  says,
}) => {
  const store = testStore();
  const run = ulid();
  await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), spec } }]);
  const hints = new HintDesk(store);
  const text = 'Look at the loss.';
  const { id } = await hints.queue(run, alice, { text, category: 'other' });
  const edited = hints.edit(run, alice, id, { text, category: 'other', deliver: { when: 'score_changes' } });
  await expect(edited).rejects.toMatchObject({ code, message: expect.stringContaining(says) });
});
