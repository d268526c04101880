import { afterEach, expect, it } from 'vitest';
import { testTask } from '../../actions/action-rig';
import { EngineStand, unisolated } from '../../testing/engine-stand';
import { refuseUnsupported } from './create-run';

let stand: EngineStand | undefined;
afterEach(async () => {
  await stand?.close();
  stand = undefined;
});

async function open(files: Record<string, string | null>): Promise<EngineStand> {
  stand = await EngineStand.open({
    policy: () => ({ calls: [{ name: 'finish', arguments: {} }] }),
    files,
    aliases: [],
  });
  return stand;
}

async function started(over: Parameters<EngineStand['start']>[2]) {
  const { start, of } = { start: stand?.start.bind(stand), of: stand?.of.bind(stand) };
  const run = await start?.({}, 'off', { ...unisolated, ...over });
  const [created] = (await of?.(run ?? '', 'run.created')) ?? [];
  const [segment] = (await of?.(run ?? '', 'segment.started')) ?? [];
  if (created === undefined || segment === undefined) throw new Error('The run was not created.');
  return {
    created,
    task: segment.head[1]?.content ?? '',
    tools: segment.tools.map((tool) => tool.function.name),
  };
}

it('two arms differ in what was chosen for the run, and share the task', async () => {
  await open({ 'hint.md': 'Count the lines.' });
  const plain = await started({});
  expect(plain.created).toMatchObject({ taskHint: 'off', arm: null, seed: null, limits: { maxEvals: 3 } });
  const chosen = { arm: 'hinted', group: 'g', sample: 0, seed: 7, maxEvals: 5, humanHints: false } as const;
  const upfront = await started({ ...chosen, taskHint: 'upfront' });
  const { maxEvals, ...recorded } = chosen;
  expect(upfront.created).toMatchObject({ ...recorded, taskHint: 'upfront', limits: { maxEvals } });
  expect(upfront.created.task.hash).toBe(plain.created.task.hash);
  expect([plain.task, upfront.task].map((text) => text.includes('Count the lines.'))).toEqual([false, true]);
  const tool = await started({ taskHint: 'tool' });
  expect(tool.task).toBe(plain.task);
  expect([plain.tools, tool.tools].map((names) => names.includes('view_hint'))).toEqual([false, true]);
}, 60_000);

it('a hint that the task does not have cannot be given', async () => {
  await open({});
  await expect(started({ taskHint: 'upfront' })).rejects.toMatchObject({
    code: 'bad_input',
    message: 'Task small has no task hint. Write hint.md in its package and add the task again.',
  });
}, 60_000);

it('all that a task asks for and cannot have is named at once', () => {
  const spec = testTask({
    tools: ['parse_pdf', 'web_search', 'finish'],
    computers: [{ name: 'here', host: 'local', type: 'cpu' }],
    workspace: { root: '/data/work' },
  });
  expect(() => refuseUnsupported(spec, [{ name: 'here', kind: 'local', approvals: 'off' }])).toThrow(
    /parse_pdf.*web_search.*workspace\.root/su,
  );
});
