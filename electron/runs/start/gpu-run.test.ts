import { rm } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { EngineStand } from '../../testing/engine-stand';
import { smallTaskYaml } from '../../testing/task-package';

/** Hosts of the stand find programs where this process does: a scripted nvidia-smi among them. */
const bin = await vi.hoisted(async () => {
  const { mkdtempSync, writeFileSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { delimiter, join } = await import('node:path');
  const folder = mkdtempSync(join(tmpdir(), 'waymark-smi-'));
  writeFileSync(join(folder, 'nvidia-smi'), '#!/bin/sh\necho "0, H100, 81559, 42000, 97"\n', { mode: 0o755 });
  process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
  return folder;
});

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
  await rm(bin, { recursive: true, force: true });
}, 60_000);

it('a driven run records what the GPUs of its host do, and the inbox names a job on one that is taken', async () => {
  const run = (command: string, session: string, wait: boolean) => ({
    name: 'run_command',
    arguments: { computer_ip: 'worker', session_id: session, command, wait_for_completion: wait },
  });
  const answers = [
    { calls: [run('sleep 2', 'main', true)] },
    { calls: [run('CUDA_VISIBLE_DEVICES=0 sleep 1', 'job', false)] },
    { text: 'Done.', calls: [{ name: 'finish', arguments: {} }] },
  ];
  const pool = '  - name: worker\n    host: worker\n    type: gpu\n    gpus: { count: 1, memory_gb: 80 }\n';
  const stand = await EngineStand.open({
    policy: ({ answers: given }) => answers[Math.min(given, answers.length - 1)] ?? {},
    files: {
      'task.yaml': smallTaskYaml.replace('  - name: local\n    host: local\n    type: localhost_cpu\n', pool),
    },
    aliases: ['gpu-03'],
  });
  open.push(stand);
  const id = await stand.start({ worker: 'gpu-03' });
  await stand.drive(id);
  const changes = await stand.of(id, 'gpu.changed');
  expect(changes).toMatchObject([
    {
      computer: 'worker',
      state: 'busy',
      gpus: [{ index: 0, utilization: 97, memoryUsedMb: 42_000 }],
    },
  ]);
  const { items } = await stand.store.reader.attention(id);
  expect(items.find(({ kind }) => kind === 'contention')).toMatchObject({
    step: 2,
    facts: { computer: 'worker', session: 'job', how: 'taken', gpu: 0, usedMb: 42_000 },
  });
  expect(items.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['early_finish', 'finished']));
  expect(stand.errors).toEqual([]);
}, 60_000);
