import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { exportDataset } from '../dataset/export-dataset';
import type { ScriptedPolicy } from '../model/scripted-server';
import { removeRun } from '../runs/remove-run';
import { author, EngineStand } from '../testing/engine-stand';
import { commandOn, finish } from '../testing/scripted-answers';
import { smallTaskYaml } from '../testing/task-package';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
const boxPool = '  - name: box\n    host: box\n    type: cpu\n';
const task = (checkpoints: string, pool = localPool) => ({
  'task.yaml': `${smallTaskYaml.replace(localPool, pool)}checkpoints: ${checkpoints}\n`,
});
interface Row {
  messages: { role: string; step_loss_mask?: 0 | 1 }[];
}
async function exported({ store, folder }: EngineStand): Promise<Row[]> {
  const out = join(folder, 'dataset');
  await exportDataset(store.reader, { format: 'slime', undecided: 'refuse', out });
  const text = await readFile(join(out, 'train.jsonl'), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const there = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function stand(policy: ScriptedPolicy, files: Record<string, string>): Promise<EngineStand> {
  const made = await EngineStand.open({ policy, files, aliases: ['box'] });
  open.push(made);
  return made;
}

it('is made of a run that rests, and at the next step boundary of one that does not', async () => {
  let asked: Promise<void> | undefined;
  const hold: { id: string } = { id: '' };
  const made = await stand(({ answers: given }) => {
    if (given === 1) {
      asked ??= made.engine.checkpoints
        .make(hold.id, author, 'before the risky part')
        .then(() => made.engine.pause(hold.id, author, 'after_step'));
    }
    return given === 4 ? finish : { calls: [commandOn('local', `echo ${given} > data/f${given}.txt`)] };
  }, task('{ every: 0, final: false }'));
  const id = await made.start();
  hold.id = id;
  await expect(made.engine.checkpoints.make(id, author, '')).rejects.toMatchObject({ code: 'refused' });
  await made.drive(id);
  await asked;
  expect((await made.store.reader.run(id)).state).toBe('paused');
  const [first] = await made.engine.checkpoints.list(id);
  expect(first).toMatchObject({ why: 'asked', note: 'before the risky part' });
  const size = await made.engine.checkpoints.size(id);
  expect(size.excluded).toContain('__pycache__');
  expect(size.files).toBe(first?.workspace?.files);
  const steps = (await made.store.reader.run(id)).steps;
  await made.engine.checkpoints.make(id, author, 'at rest');
  const [, second] = await made.engine.checkpoints.list(id);
  expect(second).toMatchObject({ why: 'asked', note: 'at rest', step: steps });
  expect(await made.store.reader.run(id)).toMatchObject({ state: 'paused', checkpoints: 2 });
  await made.drive(id);
  expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished', checkpoints: 2 });
  await expect(made.engine.checkpoints.make(id, author, '')).rejects.toMatchObject({ code: 'run_ended' });
  const { runs, workspace } = await made.store.reader.verify([id]);
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}, 60_000);

it('waits for a host that is away, and is made once', async () => {
  const made = await stand(
    ({ answers: given }) => {
      if (given === 0) made.agents.loseAnswersFrom('box', 'exec');
      return given === 1 ? finish : { calls: [commandOn('box', 'echo 1 > data/f1.txt')] };
    },
    task('{ every: 1, final: false }', boxPool),
  );
  const id = await made.start();
  await made.engine.resumeRun(id);
  await made.until(id, 'action.observed');
  made.agents.cut('box');
  await made.until(id, 'run.status', ({ status, reason }) => status === 'waiting_host' && reason !== 'setup');
  made.agents.restore('box');
  await made.engine.waitRun(id);
  expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished' });
  expect(await made.of(id, 'checkpoint.made')).toMatchObject([{ step: 1, why: 'interval', message: '' }]);
}, 60_000);

it('is told without files when they cannot be copied, and the run goes on', async () => {
  const made = await stand(
    ({ answers: given }) =>
      given === 1 ? finish : { calls: [commandOn('local', 'cd / && rm -rf "$OLDPWD"')] },
    task('{ every: 1, final: false }'),
  );
  const id = await made.start();
  await made.drive(id);
  expect((await made.store.reader.run(id)).state).toBe('finished');
  const [told] = await made.of(id, 'checkpoint.made');
  expect(told).toMatchObject({ workspace: null, message: expect.stringContaining('cannot be read') });
  const { checkpoint } = await made.engine.branches.plan(id, 1);
  expect(checkpoint).toBeNull();
}, 60_000);

it('goes with its run, but not while a branch was made from it; leavings of a cut branch go', async () => {
  const made = await stand(
    ({ answers: given }) =>
      given === 2 ? finish : { calls: [commandOn('box', `echo ${given} > data/f.txt`)] },
    task('{ every: 1 }', boxPool),
  );
  const id = await made.start();
  await made.drive(id);
  const [first] = await made.engine.checkpoints.list(id);
  const folder = first?.workspace?.folder ?? '';
  expect(await there(folder)).toBe(true);
  // An application that was killed while it made a branch: a marker without a log, a folder on the host.
  const dead = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const leaving = join(made.store.folder, 'runs', dead);
  const onHost = join(made.agents.home('box'), 'waymark/runs', dead);
  await mkdir(leaving, { recursive: true });
  await mkdir(onHost, { recursive: true });
  const place = { name: 'box', kind: 'ssh', host: 'box', transport: 'ssh2' };
  const marker = { pid: 2 ** 22 + 1, machine: hostname(), hosts: [{ run: dead, place, folder: onHost }] };
  await writeFile(join(leaving, 'branching.json'), JSON.stringify(marker));
  // Markers that somebody else wrote: of a folder that is not the run's, of another run, of a host that was never added, and one
  // that another machine is making.
  const thesis = join(made.agents.home('box'), 'thesis');
  const others = join(made.agents.home('box'), 'waymark/runs', '01ARZ3NDEKTSV4RRFFQ69G5FAX');
  for (const each of [thesis, others]) await mkdir(each, { recursive: true });
  const hostile = [
    { run: '01ARZ3NDEKTSV4RRFFQ69G5FA0', place, folder: thesis },
    { run: '01ARZ3NDEKTSV4RRFFQ69G5FA1', place, folder: `${thesis}/../thesis/waymark/runs/../..` },
    { run: '01ARZ3NDEKTSV4RRFFQ69G5FAX', place, folder: others },
    { run: '01ARZ3NDEKTSV4RRFFQ69G5FA3', place: { ...place, host: 'never-added' }, folder: thesis },
  ];
  for (const [index, host] of hostile.entries()) {
    const at = join(made.store.folder, 'runs', `01ARZ3NDEKTSV4RRFFQ69G5FA${index}`);
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'branching.json'), JSON.stringify({ ...marker, hosts: [host] }));
  }
  const elsewhere = join(made.store.folder, 'runs', '01ARZ3NDEKTSV4RRFFQ69G5FA9');
  await mkdir(elsewhere, { recursive: true });
  await writeFile(join(elsewhere, 'branching.json'), JSON.stringify({ ...marker, machine: 'another' }));
  const branch = await made.engine.branches.create({
    run: id,
    step: 1,
    title: 'B',
    endpoint: null,
    drop: [],
    add: [],
  });
  expect(await there(leaving)).toBe(false);
  expect(await there(onHost)).toBe(false);
  for (const each of [thesis, others, elsewhere]) expect(await there(each)).toBe(true);
  expect(await readdir(join(made.store.folder, 'runs', branch))).not.toContain('branching.json');
  await removeRun(made, id, 'run', author);
  expect(await there(folder)).toBe(true);
  await made.drive(branch);
  expect((await made.store.reader.run(branch)).state).toBe('finished');
  await removeRun(made, branch, 'run', author);
  expect(await there(folder)).toBe(false);
}, 60_000);

it('a step trains once, however many branches share it, by the label of the run it was made in', async () => {
  const made = await stand(
    ({ answers: given }) =>
      given === 5 ? finish : { calls: [commandOn('local', `echo ${given} > data/f${given}.txt`)] },
    task('{ every: 2 }'),
  );
  const id = await made.start();
  await made.drive(id);
  const branch = await made.engine.branches.create({
    run: id,
    step: 3,
    title: 'B',
    endpoint: null,
    drop: [],
    add: ['Otherwise.'],
  });
  await made.drive(branch);
  const { store } = made;
  await store.writer.annotate(
    author,
    { run: id, from: 1, to: 6 },
    { op: 'label', value: 'train', reason: 'r' },
  );
  // In the branch's window, over the branch point: steps 2 and 3 are the parent's.
  const label = { op: 'label', value: 'mask', reason: 'r' } as const;
  await store.writer.annotate(author, { run: branch, from: 2, to: 4 }, label);
  await store.writer.annotate(author, { run: branch, from: 5, to: 6 }, { ...label, value: 'train' });
  const values = async (of: string) => (await store.reader.heads(of, 1, 6)).map((head) => head.label.value);
  expect(await values(id)).toEqual(['train', 'mask', 'mask', 'train', 'train', 'train']);
  expect(await values(branch)).toEqual(['train', 'mask', 'mask', 'mask', 'train', 'train']);
  const rows = await exported(made);
  const masks = rows.map(({ messages }) =>
    messages.flatMap((message) => (message.step_loss_mask === undefined ? [] : [message.step_loss_mask])),
  );
  expect(masks.sort((a, b) => (b[0] ?? 0) - (a[0] ?? 0))).toEqual([
    [1, 0, 0, 1, 1, 1],
    [0, 0, 0, 0, 1, 1],
  ]);
}, 90_000);
