import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { answered, createdBody } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import type { Store } from './store/api';

const RUN = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const STEPS = 40;
const steps = Array.from({ length: STEPS }, (_, at) => at + 1);

/**
 * The short life of a workspace: a run is recorded, labelled, read, searched and merged. What it calls is compiled then, and V8 puts
 * it into the cache of its chunk. The folder is there, and goes with all that is in it.
 */
export async function liveShortly(folder: string): Promise<void> {
  // Loaded here, when chunks are watched.
  const { openStoreInProcess } = await import('./store/threads/in-process');
  const { removeAt } = await import('./files/remove');
  const within = async (name: string, work: (store: Store) => Promise<void>) => {
    const store = openStoreInProcess(join(folder, name));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };
  try {
    await within('own', record);
    cpSync(join(folder, 'own'), join(folder, 'other'), { recursive: true });
    await within('other', (store) => label(store, 'Bo', 3));
    await within('own', async (store) => {
      await label(store, 'Ada', 4);
      await store.writer.merge(join(folder, 'other'));
      await store.drain();
      await read(store);
    });
  } finally {
    await removeAt(folder, { kind: 'folder' });
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
  // Together: what comes while a commit runs goes into the next.
  await Promise.all(steps.map((step) => writer.append(RUN, 1, commandStep(step))));
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
  const author = { uuid: name, name };
  await Promise.all(
    steps.map((step) => {
      const value = step % every === 0 ? 'mask' : 'train';
      return writer.annotate(
        author,
        { run: RUN, from: step, to: step },
        { op: 'label', value, reason: null },
      );
    }),
  );
}

async function read({ reader }: Store): Promise<void> {
  await reader.runs();
  await reader.heads(RUN, 1, STEPS);
  await reader.tiles(RUN);
  await reader.step(RUN, STEPS);
  await reader.searchWorkspace('train', 10);
}
