import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noticesOf } from '@shared/log/event-parts';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../model/scripted-server';
import { author, EngineStand } from '../testing/engine-stand';
import { call, commandOn, finish } from '../testing/scripted-answers';
import { smallTaskYaml } from '../testing/task-package';
import { contextAfter } from './branch-context';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const places = [
  ['local', '  - name: local\n    host: local\n    type: localhost_cpu\n'],
  ['box', '  - name: box\n    host: box\n    type: cpu\n'],
] as const;
const task = (computer: string, checkpoints: string) => ({
  'task.yaml': `${smallTaskYaml.replace(places[0][1], computer)}checkpoints: ${checkpoints}\n`,
});

/** Twelve steps: each leaves a file; from the fifth on something runs beside them. */
function twelve(computer: string, made: { onRequest?: (given: number) => void }): ScriptedPolicy {
  return ({ answers: given }) => {
    made.onRequest?.(given);
    const step = given + 1;
    if (step === 12) return finish;
    if (step === 2) return { calls: [commandOn(computer, 'cd data && echo here > here.txt')] };
    if (step === 5) return { calls: [commandOn(computer, 'sleep 1000', false, 'train')] };
    const where = step === 1 ? 'data/' : '';
    const more = step === 4 ? '; echo other >> ../task/fixed.txt' : '';
    const command = `echo ${step} > ${where}f${step}.txt; echo x >> ${where}all.txt${more}`;
    return { calls: [commandOn(computer, command)] };
  };
}

async function problems(stand: EngineStand, ids: string[]): Promise<unknown[]> {
  const { runs, workspace } = await stand.store.reader.verify(ids);
  return [...workspace, ...runs.flatMap((each) => each.problems)];
}

async function contents(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isFile()) found[path.slice(root.length + 1)] = await readFile(path, 'utf8');
  }
  return found;
}

describe.each(places)('a branch (%s)', (computer, pool) => {
  it('goes on from a step with its context, its budgets and the files of the checkpoint before it', async () => {
    const made: { onRequest?: (given: number) => void } = {};
    const stand = await EngineStand.open({
      policy: twelve(computer, made),
      files: task(pool, '{ every: 6 }'),
      aliases: ['box'],
    });
    open.push(stand);
    const id = await stand.start();
    let hinted: Promise<string> | undefined;
    made.onRequest = (given) => {
      if (given === 2) hinted ??= stand.engine.hint(id, author, 'Mind the files.', 'other');
    };
    await stand.drive(id);
    made.onRequest = () => undefined;
    expect(stand.errors).toEqual([]);
    const hint = (await hinted) ?? '';
    const checkpoints = await stand.engine.checkpoints.list(id);
    expect(checkpoints.map(({ step, why }) => [step, why])).toEqual([
      [6, 'interval'],
      [12, 'final'],
    ]);
    const [six] = checkpoints;
    const parentRoot = six?.workspace?.root ?? '';
    expect(six).toMatchObject({ message: '', workspace: { computer } });
    expect(six?.spent).toMatchObject({ steps: 6, evaluations: { tries: 0 } });
    expect(six?.sessions.map(({ session, cwd, running }) => [session, cwd, running])).toEqual([
      ['main', join(parentRoot, 'data'), null],
      ['train', parentRoot, expect.stringContaining('sleep 1000')],
    ]);
    const parentEvents = await stand.events(id);
    const parentFiles = await contents(parentRoot);

    const plan = await stand.engine.branches.plan(id, 8);
    expect(plan).toMatchObject({ run: id, step: 8, stepsAfter: 2, contextSteps: 8 });
    expect(plan.checkpoint?.checkpoint).toBe(six?.checkpoint);
    expect(plan.hints.map((each) => [each.id, each.number])).toEqual([[hint, 1]]);
    expect(plan.notRestarted).toEqual([{ computer, session: 'train', command: 'sleep 1000' }]);

    const branch = await stand.engine.branches.create({
      run: id,
      step: 8,
      title: 'Another way',
      endpoint: null,
      drop: [hint],
      add: ['Try it the other way.'],
    });
    const { reader } = stand.store;
    expect(await reader.run(branch)).toMatchObject({
      title: 'Another way',
      steps: 8,
      taken: 8,
      parent: { run: id, step: 8 },
      labels: { train: 0, mask: 0, undecided: 0 },
    });
    const [created] = await stand.of(branch, 'run.created');
    const root = created?.workspaceRoot ?? '';
    expect(root).not.toBe(parentRoot);
    // Byte for byte what the checkpoint holds; what steps 7 and 8 did is not there.
    expect(await contents(root)).toEqual(await contents(join(six?.workspace?.folder ?? '', 'files')));
    expect(await readFile(join(root, 'data/all.txt'), 'utf8')).toBe('x\n'.repeat(4));
    await expect(lstat(join(root, 'data/f7.txt'))).rejects.toThrow('ENOENT');

    await stand.drive(branch);
    expect(stand.errors).toEqual([]);
    const summary = await reader.run(branch);
    expect(summary).toMatchObject({ state: 'finished', steps: 12, taken: 12 });
    // The shell stood where the parent's had stood.
    expect(await readFile(join(root, 'data/f9.txt'), 'utf8')).toBe('9\n');
    const [began] = await stand.of(branch, 'branch.began');
    expect(began).toMatchObject({ parent: { run: id, step: 8 }, dropped: [hint] });
    expect(began?.message).toContain('after step 6');
    expect(began?.message).toContain('"sleep 1000" in train');

    // What was protected at the parent's start still is.
    const [evaluated] = await stand.of(branch, 'evaluation.ended');
    expect(evaluated?.protectedChanged).toEqual(['task/fixed.txt']);
    const found = { evaluations: 1, paths: ['task/fixed.txt'] };
    expect(summary).toMatchObject({ protectedChanged: found });

    // What the model read: the parent's context, one hint less, one more, and where it is now.
    const asked = await reader.prompt(branch, 9);
    expect(asked.verified).toBe(true);
    const text = asked.messages.map(({ content }) => content).join('\n');
    expect(text).not.toContain('Mind the files.');
    expect(text).toContain('<real_user>Try it the other way.</real_user>');
    expect(text).toContain(`The workspace is now ${root}.`);
    for (const step of [9, 10, 11, 12]) expect((await reader.prompt(branch, step)).verified).toBe(true);
    expect(await problems(stand, [id, branch])).toEqual([]);

    // The parent was only read.
    expect(await stand.events(id)).toEqual(parentEvents);
    expect(await contents(parentRoot)).toEqual(parentFiles);

    // Steps before the branch point are the parent's.
    const heads = await reader.heads(branch, 1, 20);
    expect(heads.map(({ step, inheritedFrom }) => [step, inheritedFrom])).toEqual(
      Array.from({ length: 12 }, (_, index) => [index + 1, index < 8 ? id : null]),
    );
    const parentHeads = await reader.heads(id, 1, 20);
    expect(heads.slice(0, 8).map((each) => each.id)).toEqual(parentHeads.slice(0, 8).map((each) => each.id));
    expect((await reader.step(branch, 3)).head).toMatchObject({ run: branch, inheritedFrom: id, step: 3 });
    expect(await reader.prompt(branch, 3)).toEqual(await reader.prompt(id, 3));
    expect((await reader.tiles(branch)).map(({ n }) => n)).toEqual([12]);
    const commands = { tool: ['run_command'] };
    expect((await reader.matches(branch, { ...commands, from: 7 })).slice(0, 3)).toEqual([7, 8, 9]);
    expect(await reader.nearest(branch, [commands], 7, -1)).toEqual({ step: 7, total: 11 });
    expect(await reader.countMatches(branch, commands)).toBe(11);

    const { nodes } = await stand.engine.branches.lineage(branch);
    expect(nodes.map((node) => [node.run, node.parent, node.checkpoints.length])).toEqual([
      [id, null, 2],
      [branch, { run: id, step: 8, gone: false }, 1],
    ]);
  }, 120_000);
});

describe('branches', () => {
  it('hold exactly the context of their parent when nothing is changed, and branch again', async () => {
    const stand = await EngineStand.open({
      policy: twelve('local', {}),
      files: task(places[0][1], '{ every: 0, final: false }'),
      aliases: [],
    });
    open.push(stand);
    const id = await stand.start();
    await stand.drive(id);
    expect(await stand.of(id, 'checkpoint.made')).toEqual([]);
    const { reader } = stand.store;
    const make = (from: string, step: number) =>
      stand.engine.branches.create({ run: from, step, title: 'B', endpoint: null, drop: [], add: [] });
    const branch = await make(id, 7);
    const [began] = await stand.of(branch, 'branch.began');
    expect(began).toMatchObject({ checkpoint: null });
    expect(began?.message).toContain('those the task started with');
    const parent = (await contextAfter(reader, id, 7)).context.contextMessages();
    const child = (await contextAfter(reader, branch, 7)).context.contextMessages();
    // One message more: where the workspace is.
    expect(child.slice(0, -1)).toEqual(parent);
    expect(child.at(-1)?.message).toMatchObject({ role: 'user' });
    await stand.drive(branch);
    // A branch of a branch, and one from a step that the branch inherited.
    const second = await make(branch, 9);
    const third = await make(branch, 3);
    expect((await reader.run(second)).parent).toEqual({ run: branch, step: 9 });
    expect((await reader.run(third)).parent).toEqual({ run: id, step: 3 });
    expect((await reader.heads(second, 6, 9)).map((head) => head.inheritedFrom)).toEqual([
      ...[id, id],
      ...[branch, branch],
    ]);
    await stand.drive(second);
    expect(await problems(stand, [branch, second, third])).toEqual([]);
    expect((await stand.engine.branches.lineage(second)).nodes.map((node) => node.run)).toEqual([
      ...[id, third, branch, second],
    ]);
    // Their forefather goes: what it made cannot be shown any more, and says so; they go on.
    await stand.store.writer.remove(id, 'run', author);
    const [head] = await reader.heads(second, 2, 2);
    expect(head).toMatchObject({ inheritedFrom: id, title: expect.stringContaining('removed') });
    await expect(reader.step(second, 2)).rejects.toMatchObject({ code: 'not_found' });
    expect((await reader.step(second, 8)).head.inheritedFrom).toBe(branch);
    await expect(make(second, 2)).rejects.toMatchObject({ code: 'not_found' });
    expect(await problems(stand, [branch, second, third])).toEqual([]);
    expect((await stand.engine.branches.lineage(second)).nodes.map((node) => node.parent?.gone)).toEqual([
      ...[true, true, false],
    ]);
  }, 120_000);

  it('that cannot be made now leave nothing behind', async () => {
    const stand = await EngineStand.open({
      policy: twelve('box', {}),
      files: task(places[1][1], '{ every: 6 }'),
      aliases: ['box'],
    });
    open.push(stand);
    const id = await stand.start();
    await stand.drive(id);
    const order = { run: id, step: 8, title: 'B', endpoint: null, drop: [], add: [] };
    const left = async () => [
      await readdir(join(stand.store.folder, 'runs')),
      await readdir(join(stand.agents.home('box'), 'waymark/runs')),
    ];
    const before = await left();
    stand.agents.cut('box');
    await expect(stand.engine.branches.create(order)).rejects.toMatchObject({ code: 'computer_unavailable' });
    stand.agents.restore('box');
    expect(await left()).toEqual(before);
    // The checkpoint is damaged on its host: found out while the files are restored.
    const [six] = await stand.engine.checkpoints.list(id);
    await writeFile(join(six?.workspace?.folder ?? '', 'files/data/all.txt'), 'cut');
    await expect(stand.engine.branches.create(order)).rejects.toMatchObject({ code: 'refused' });
    expect(await left()).toEqual(before);
    expect(await stand.store.reader.runs()).toHaveLength(1);
  }, 60_000);

  it('refuse a step that is not over, a hint that is not there or empty, and leave nothing behind', async () => {
    const stand = await EngineStand.open({
      policy: twelve('local', {}),
      files: task(places[0][1], '{ every: 0 }'),
      aliases: [],
    });
    open.push(stand);
    const id = await stand.start();
    await stand.drive(id);
    const order = { run: id, step: 4, title: 'B', endpoint: null, drop: [], add: [] };
    await expect(stand.engine.branches.plan(id, 40)).rejects.toMatchObject({ code: 'not_found' });
    const unknown = { ...order, drop: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] };
    await expect(stand.engine.branches.create(unknown)).rejects.toMatchObject({ code: 'bad_input' });
    await expect(stand.engine.branches.create({ ...order, add: [' '] })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('The hint is empty.'),
    });
    const runs = join(await realpath(stand.store.folder), 'runs');
    expect(await readdir(runs)).toEqual([id]);
  }, 60_000);

  it('know what their agent has seen of files, also one branched off a branch', async () => {
    let root = '';
    let edits = false;
    const file = () => join(root, 'task/run.sh');
    const edit = (path: string) =>
      call('edit_file', { path, start: 1, end: 1, content: `echo ${root.length}` });
    const stand = await EngineStand.open({
      policy: ({ answers: given }) => {
        if (given === 0) return { calls: [call('think', { thought: 'x' })] };
        if (given === 1) return { calls: [call('search_dir', { search_term: 'hello', dir_path: root })] };
        if (given === 2 && edits) return { calls: [edit(file())] };
        if (given === 3 && edits) return { calls: [edit(join(root, 'data/datasets/numbers.txt'))] };
        return finish;
      },
      files: task(places[0][1], '{ every: 1 }'),
      aliases: [],
    });
    open.push(stand);
    const branchOff = async (from: string, step: number) => {
      const order = { run: from, step, title: 'B', endpoint: null, drop: [], add: [] };
      const branch = await stand.engine.branches.create(order);
      root = (await stand.of(branch, 'run.created'))[0]?.workspaceRoot ?? '';
      await stand.drive(branch);
      return branch;
    };
    const told = async (id: string) =>
      (await stand.of(id, 'action.observed')).flatMap(({ step, data, ok }) =>
        ok ? noticesOf(data).map(({ rule }) => [step, rule]) : [[step, 'failed']],
      );
    const masked = async (id: string) =>
      (await stand.store.reader.heads(id, 1, 9)).flatMap(({ step, rules }) =>
        rules.some((rule) => rule === 'blind-edit') ? [step] : [],
      );
    const parent = await stand.start();
    root = (await stand.of(parent, 'run.created'))[0]?.workspaceRoot ?? '';
    await stand.drive(parent);
    edits = true;
    const branch = await branchOff(parent, 2);
    expect(await told(branch)).toEqual([[4, 'edit_unseen']]);
    expect(await masked(branch)).toEqual([4]);
    const evidence = await stand.store.reader.evidence(branch, 3);
    expect(evidence.files).toMatchObject([{ path: file(), sight: 'seen', lookedAt: 2 }]);
    // It wrote the file itself in the branch before.
    const again = await branchOff(branch, 3);
    expect(await told(again)).toEqual([[4, 'edit_unseen']]);
    expect(await masked(again)).toEqual([4]);
    expect(await problems(stand, [parent, branch, again])).toEqual([]);
  }, 60_000);
});

describe('in a workspace that was moved', () => {
  it('a branch takes the files of the checkpoint that is in it, and none where that is gone', async () => {
    const stand = await EngineStand.open({
      policy: twelve('local', {}),
      files: task(places[0][1], '{ every: 6 }'),
      aliases: [],
    });
    open.push(stand);
    const id = await stand.start();
    await stand.drive(id);
    const [six] = await stand.engine.checkpoints.list(id);
    const before = await contents(join(six?.workspace?.folder ?? '', 'files'));
    await stand.move('moved');
    // Something else is in the old place now, as where the workspace is a copy.
    await mkdir(join(six?.workspace?.folder ?? '', 'files'), { recursive: true });
    await writeFile(join(six?.workspace?.folder ?? '', 'files', 'other.txt'), 'of another workspace');
    const order = { run: id, step: 8, title: 'Elsewhere', endpoint: null, drop: [], add: [] };
    const branch = await stand.engine.branches.create(order);
    const [created] = await stand.of(branch, 'run.created');
    expect(created?.workspaceRoot).toContain('/moved/');
    expect(await contents(created?.workspaceRoot ?? '')).toEqual(before);
    await rm(join(stand.store.folder, 'checkpoints'), { recursive: true });
    await expect(stand.engine.branches.create(order)).rejects.toMatchObject({ code: 'not_found' });
  });
});
