import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answered, createdBody } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import type { Store } from './store/api';

const RUN = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const STEPS = 40;

/**
 * The short life of a workspace below the system's folder for temporary files: a run is recorded, labelled, read, searched and
 * merged. What it calls is compiled then, and V8 puts it into the cache of its chunk. Nothing of the workspace stays.
 */
export async function liveShortly(): Promise<void> {
  // Loaded here, when chunks are watched.
  const { openStoreInProcess } = await import('./store/threads/in-process');
  const folder = mkdtempSync(join(tmpdir(), 'waymark-code-cache-'));
  const [own, other] = [join(folder, 'own'), join(folder, 'other')];
  try {
    const recorded = openStoreInProcess(own);
    await record(recorded);
    await recorded.close();
    cpSync(own, other, { recursive: true });
    const elsewhere = openStoreInProcess(other);
    await label(elsewhere, 'Bo', 3);
    await elsewhere.close();
    const store = openStoreInProcess(own);
    await label(store, 'Ada', 4);
    await store.writer.merge(other);
    await store.drain();
    await read(store);
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function record({ writer }: Store): Promise<void> {
  await writer.append(RUN, 1, [
    { kind: 'run.created', body: createdBody(RUN) },
    {
      kind: 'segment.started',
      body: {
        segment: 1,
        head: [{ role: 'user', content: 'Do the task.' }],
        tools: [],
        request: { model: 'scripted' },
      },
    },
  ]);
  for (let step = 1; step <= STEPS; step += 1) await writer.append(RUN, 1, commandStep(step));
}

function commandStep(step: number): NewEvent[] {
  const at = { step, call: 0, callId: `call-${step}`, name: 'run_command' };
  const args = { command: 'ls', session_id: 'main' };
  const call = { id: at.callId, name: at.name, arguments: JSON.stringify(args) };
  return [
    {
      kind: 'model.answered',
      body: answered(step, `01JZZZZZZZZZZZZZZZZZZZ${1000 + step}`, {
        kind: 'act',
        text: 'I look at the files.',
        calls: [call],
        invalid: [null],
        finishReason: 'tool_calls',
      }),
    },
    { kind: 'action.started', body: { ...at, args, guards: [] } },
    {
      kind: 'action.observed',
      body: {
        ...at,
        ok: true,
        error: null,
        text: 'train.py\n'.repeat(step),
        data: { computer: 'local', session: 'main', command: 'ls', exitCode: 0 },
        offsets: {},
        durationMs: 1,
        closedBy: 'run',
        imitatesHuman: false,
      },
    },
  ];
}

async function label({ writer }: Store, name: string, every: number): Promise<void> {
  for (let step = 1; step <= STEPS; step += 1) {
    const value = step % every === 0 ? 'mask' : 'train';
    await writer.annotate(
      { uuid: name, name },
      { run: RUN, from: step, to: step },
      { op: 'label', value, reason: null },
    );
  }
}

async function read({ reader }: Store): Promise<void> {
  await reader.runs();
  await reader.heads(RUN, 1, STEPS);
  await reader.tiles(RUN);
  await reader.step(RUN, STEPS);
  await reader.searchWorkspace('train', 10);
}
