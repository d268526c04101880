import { evaluated } from '@shared/log/event-fixtures';
import type { NewEvent } from '@shared/log/events';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

const path = '/tmp/w/a.py';

function changed(step: number, before: string | null, file = path): NewEvent {
  return {
    kind: 'file.changed',
    body: {
      step,
      call: 0,
      computer: 'local',
      path: file,
      size: 1,
      by: 'action' as const,
      before: before && 'b'.repeat(64),
      after: 'a'.repeat(64),
      beforeText: before,
      text: 'x',
    },
  };
}

async function begun(): Promise<{ writer: RunWriter; evidence: (step: number) => ReturnType<typeof read> }> {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  const read_ = (step: number) => read(store, writer.run, step);
  return { writer, evidence: read_ };
}

function read(store: ReturnType<typeof testStore>, run: string, step: number) {
  return store.reader.evidence(run, step);
}

function edit(writer: RunWriter, before: string | null = 'x', file = path): Promise<void> {
  const events = [changed(writer.step + 1, before, file)];
  return writer.command('', 'edited', {
    tool: 'edit_file',
    args: { path: file },
    events,
    data: { path: file },
  });
}

const look = (writer: RunWriter) =>
  writer.command('', 'text', { tool: 'open_file', args: { path }, data: { path, startLine: 1 } });

test('an edit tells when its file was last looked at and who changed it since', async () => {
  const { writer, evidence } = await begun();
  await edit(writer);
  await look(writer);
  await edit(writer);
  await writer.command('sed -i s/a/b/ a.py', '', { exitCode: 0 });
  await edit(writer);
  await writer.command('pytest', '1 failed', { exitCode: 1 });
  expect((await evidence(1)).files).toEqual([
    { computer: 'local', path, sight: 'never', lookedAt: null, changedBy: [], changes: 0 },
  ]);
  expect((await evidence(3)).files).toMatchObject([{ sight: 'seen', lookedAt: 2, changedBy: [] }]);
  const blind = await evidence(5);
  expect(blind.files).toMatchObject([{ sight: 'stale', lookedAt: 2, changedBy: [3], changes: 1 }]);
  expect(blind.next).toEqual({ step: 6, tool: 'run_command', ok: true, exitCode: 1, errorCode: null });
  expect((await evidence(6)).next).toBeNull();
  expect(blind).toMatchObject({ since: 1, gpus: [], score: { best: null, last: null } });
});

test('a new file needs no look; a look through the shell is one', async () => {
  const { writer, evidence } = await begun();
  await edit(writer, null, '/tmp/w/new.py');
  await writer.command('cat a.py', 'x', { exitCode: 0 });
  await edit(writer);
  expect((await evidence(1)).files).toMatchObject([{ path: '/tmp/w/new.py', sight: 'new' }]);
  expect((await evidence(3)).files).toMatchObject([{ sight: 'seen', lookedAt: 2 }]);
});

test('score, GPUs and working time are those of the moment', async () => {
  const { writer, evidence } = await begun();
  const evaluation = (score: number): NewEvent => ({
    kind: 'evaluation.ended',
    body: evaluated(writer.step, score),
  });
  await writer.command('a', '');
  await writer.record([evaluation(40)]);
  await writer.command('b', '');
  const gpus = [{ index: 0, utilization: 3, memoryUsedMb: 12 }];
  await writer.record([
    evaluation(30),
    { kind: 'gpu.changed', body: { computer: 'gpu-1', state: 'idle', since: 5, gpus } },
  ]);
  await writer.command('c', '');
  expect(await evidence(1)).toMatchObject({ score: { best: 40, last: 40 }, gpus: [] });
  const late = await evidence(3);
  expect(late.score).toEqual({ best: 40, last: 30 });
  expect(late.gpus).toEqual([{ computer: 'gpu-1', state: 'idle', step: 2, gpus }]);
  expect(late.workingMs).toBeGreaterThanOrEqual(0);
  await expect(evidence(9)).rejects.toMatchObject({ code: 'not_found' });
});

test('what lies further back than is searched is unknown', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await look(writer);
  const steps = 900;
  for (let step = 2; step <= steps; step += 100) {
    const events = Array.from({ length: 100 }, (_, index) => quiet(step + index)).flat();
    await store.writer.append(run, 1, events);
  }
  writer.step = steps + 1;
  await edit(writer);
  const evidence = await store.reader.evidence(run, writer.step);
  expect(evidence).toMatchObject({ since: writer.step - 400, files: [{ sight: 'unknown', lookedAt: null }] });
});

/** A step with some output, without its request. */
function quiet(step: number): NewEvent[] {
  const call = { step, call: 0, callId: `c${step}`, name: 'run_command' };
  return [
    {
      kind: 'model.answered',
      body: {
        step,
        stepId: `${step}`.padStart(26, '0'),
        kind: 'act',
        text: 'x',
        reasoning: '',
        calls: [{ id: call.callId, name: call.name, arguments: '{}' }],
        invalid: [null],
        finishReason: null,
        model: 'm',
        usage: null,
        cost: null,
        durationMs: 1,
      },
    },
    { kind: 'action.started', body: { ...call, args: { command: 'ls' }, guards: [] } },
    {
      kind: 'action.observed',
      body: {
        ...call,
        ok: true,
        error: null,
        text: 'y'.repeat(3000),
        data: { command: 'ls', session: 'main' },
        offsets: {},
        durationMs: 1,
        closedBy: 'run',
        imitatesHuman: false,
      },
    },
  ];
}
