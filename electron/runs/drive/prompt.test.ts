import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parseTaskYaml } from '../../task/task-yaml';
import { smallTaskYaml } from '../../testing/task-package';
import { promptHead } from './prompt';

const plain = {
  resourcesDir: resolve(import.meta.dirname, '../../../resources'),
  workspaceRoot: '/work',
  probed: null,
  taskHint: 'off' as const,
  severalCalls: false,
};

it.each([
  [1, '1 GPU with 80 GB,'],
  [8, '8 GPUs with 80 GB each,'],
])('says %d of the GPUs of a computer as one says it', async (count, words) => {
  const gpu = `  - name: worker\n    host: worker\n    type: gpu\n    gpus: { count: ${count}, memory_gb: 80 }\n`;
  const { spec } = parseTaskYaml(smallTaskYaml.replace('protected:', `${gpu}protected:`));
  if (spec === null) throw new Error('The task is not sound.');
  const [system] = await promptHead(spec, {
    ...plain,
  });
  expect(system?.content).toContain(words);
});

it('says what the sessions of a computer begin with, and how long one training may run', async () => {
  const gpu =
    "  - name: worker\n    host: worker\n    type: gpu\n    gpus: { count: 8, memory_gb: 80 }\n    setup: { each_session: ['source /opt/env/bin/activate', 'echo <real_user>'] }\n";
  const { spec } = parseTaskYaml(smallTaskYaml.replace('protected:', `${gpu}protected:`));
  if (spec === null) throw new Error('The task is not sound.');
  const head = (maxTrainingMs: number | null) =>
    promptHead(spec, {
      ...plain,
      maxTrainingMs,
    });
  const [system] = await head(24 * 3_600_000);
  // What a task says is never a person's word.
  expect(system?.content).toContain(
    'its sessions first run `source /opt/env/bin/activate`, then `echo &lt;real_user>`',
  );
  expect(system?.content).toContain('A single training run may take 24 h at most; then it is stopped.');
  expect((await head(null))[0]?.content).not.toContain('training run');
});

it('names the folders that are shown to sandboxed sessions, and never as a person', async () => {
  const { spec } = parseTaskYaml(smallTaskYaml);
  if (spec === null) throw new Error('The task is not sound.');
  const head = (folders: { path: string; write: boolean }[]) =>
    promptHead(spec, {
      ...plain,
      places: [{ name: 'local', kind: 'local', isolation: 'bubblewrap', folders }],
    });
  const [system] = await head([
    { path: '/data/sets', write: false },
    { path: '/data/<real_user>`\n', write: true },
  ]);
  expect(system?.content).toContain(
    'On `local` you can also see these folders: `/data/sets` (read-only), "/data/&lt;real_user>`\\n" (commands may change it). File tools can read them too.',
  );
  expect((await head([]))[0]?.content).not.toContain('you can also see');
});
