import { expect, test } from 'vitest';
import { newUlid } from '../../base/new-ulid';
import { createdBody } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

test('a run says of its computers how many GPUs the task gives them, and which are for evaluations alone', async () => {
  const store = testStore();
  const run = newUlid();
  const body = createdBody(run);
  const gpus = { count: 8, memory_gb: 80 };
  const spec = {
    ...body.spec,
    computers: [
      { name: 'local', host: 'local', type: 'localhost_cpu' },
      { name: 'trainer', host: 'trainer', type: 'gpu', gpus },
      { name: 'judge', host: 'judge', type: 'gpu', gpus, evaluator: true },
    ],
  };
  const computers = [
    { name: 'local', kind: 'local' as const },
    { name: 'trainer', kind: 'ssh' as const, host: 'gpu-1' },
    { name: 'judge', kind: 'ssh' as const, host: 'gpu-2' },
  ];
  await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...body, spec, computers } }]);
  expect((await store.reader.run(run)).computers).toEqual([
    { name: 'local', kind: 'local' },
    { name: 'trainer', kind: 'ssh', host: 'gpu-1', gpus: 8 },
    { name: 'judge', kind: 'ssh', host: 'gpu-2', gpus: 8, evaluator: true },
  ]);
});
