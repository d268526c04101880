import { settingsSchema } from '@shared/contract/settings';
import { afterEach, expect, it } from 'vitest';
import { checkpointHandlers } from '../commands/checkpoints';
import { labelHandlers } from '../commands/labels';
import type { ScriptedPolicy } from '../model/scripted-server';
import { author, EngineStand } from '../testing/engine-stand';
import type { Workbench, WorkbenchHolder } from '../workbench';
import { parseArguments } from './arguments';
import { branchCommand, checkpointCommand } from './checkpoint-commands';
import type { CliContext } from './context';
import { hintCommand } from './hint-commands';
import { stepCommand } from './step-commands';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const policy: ScriptedPolicy = ({ answers: given }) => {
  const command = `echo ${given} > data/f${given}.txt`;
  const args = { computer_ip: 'local', session_id: 'main', command, wait_for_completion: true };
  return given >= 3
    ? { calls: [{ name: 'finish', arguments: {} }] }
    : { calls: [{ name: 'run_command', arguments: args }] };
};

it('checkpoints and branches on the command line and from the window', async () => {
  const stand = await EngineStand.open({ policy, files: {}, aliases: [] });
  open.push(stand);
  const { store, engine } = stand;
  const context = { store, reader: store.reader, engine, author, settings: settingsSchema.parse({}) };
  const cli = (...words: string[]) => {
    const args = parseArguments(words);
    const command = words[0] === 'branch' ? branchCommand : checkpointCommand;
    return command(context as unknown as CliContext, args);
  };
  const id = await stand.start();
  const hint = await engine.hint(id, author, 'Mind the files.', 'other');
  expect((await cli('checkpoint', 'list', id)).lines).toEqual([
    'No checkpoints yet. Make one with: checkpoint make RUN',
  ]);
  await expect(cli('checkpoint', 'make', id)).rejects.toMatchObject({ code: 'refused' });
  await stand.drive(id);
  await expect(cli('checkpoint', 'make', id)).rejects.toMatchObject({ code: 'run_ended' });
  const listed = await cli('checkpoint', 'list', id);
  expect(listed.json).toMatchObject({ run: id, checkpoints: [{ step: 4, why: 'final' }] });
  expect(listed.lines[0]).toMatch(/^step 4 .* final .* files, \d+ bytes/);
  await expect(cli('branch', id)).rejects.toMatchObject({ code: 'bad_input' });
  await expect(cli('branch', id, '--step', '2', '--drop', '9')).rejects.toMatchObject({ code: 'bad_input' });
  const made = await cli('branch', id, '--step', '2', '--drop', '1', '--add', 'One.', '--add', 'Two.');
  const branch = String((made.json as { run: string }).run);
  expect(made.json).toEqual({ run: branch, parent: id, step: 2, checkpoint: null });
  const [began] = await stand.of(branch, 'branch.began');
  expect(began?.dropped).toEqual([hint]);
  expect(began?.added.map(({ text }) => text)).toEqual(['One.', 'Two.']);
  expect(began?.message).toContain('1 hint was left out of the context. 2 hints were added to it.');
  const listed2 = await hintCommand(
    context as unknown as CliContext,
    parseArguments(['hint', 'list', branch]),
  );
  expect(listed2.lines).toEqual([
    `A branch of run ${id} after step 2.`,
    'dropped  with the task  Mind the files.',
    'added    after step 2   One.',
    'added    after step 2   Two.',
    'No hints since it branched off. Send one with: hint send RUN TEXT',
  ]);
  const step = (...words: string[]) =>
    stepCommand(context as unknown as CliContext, parseArguments(['step', 'show', ...words]));
  const shown = await step(branch, '1');
  expect(shown.lines[0]).toBe(`Step 1 of run ${branch}: act, run_command, segment 1, made in run ${id}`);
  expect(shown.lines.join('\n')).toContain('"command":"echo 0 > data/f0.txt"');
  expect(shown.json).toMatchObject({ head: { step: 1, inheritedFrom: id } });
  const prompt = await step(branch, '2', '--prompt');
  expect(prompt.lines[0]).toMatch(
    /^Prompt of step 2: 4 messages, \d+ tools\. These are the \d+ bytes that were sent/u,
  );
  expect(prompt.lines).toContain(
    '  | {"computer_ip":"local","session_id":"main","command":"echo 0 > data/f0.txt","wait_for_completion":true}',
  );
  expect(prompt.json).toMatchObject({ verified: true, messages: [{ role: 'system' }, {}, {}, {}] });
  await expect(step(id, '99')).rejects.toMatchObject({ code: 'not_found' });
  await expect(step(id)).rejects.toMatchObject({ code: 'bad_input' });
  await cli('checkpoint', 'make', branch, 'at', 'its', 'start');
  expect((await cli('checkpoint', 'list', branch)).json).toMatchObject({
    checkpoints: [{ step: 2, why: 'asked', note: 'at its start' }],
  });

  const bench = { ...stand, store, engine } as unknown as Workbench;
  const holder = { require: () => bench } as unknown as WorkbenchHolder;
  const window = checkpointHandlers({ holder, author: () => author, settings: () => context.settings });
  expect(await window['checkpoints.list']({ run: id })).toHaveLength(1);
  expect(await window['checkpoints.size']({ run: branch })).toMatchObject({ newFiles: 0 });
  expect(await window['branches.plan']({ run: id, step: 4 })).toMatchObject({
    stepsAfter: 0,
    contextSteps: 4,
  });
  const order = { run: id, step: 4, title: 'On', drop: [], add: [], start: true, unisolated: false };
  const missing = window['branches.create']({ ...order, endpoint: 'Nowhere' });
  await expect(missing).rejects.toMatchObject({ code: 'not_found' });
  const { run } = await window['branches.create']({ ...order, endpoint: null });
  await engine.waitRun(run);
  expect(await store.reader.run(run)).toMatchObject({ state: 'finished', steps: 5 });
  const after = await hintCommand(context as unknown as CliContext, parseArguments(['hint', 'list', run]));
  expect(after.json).toMatchObject({
    branch: { parent: { run: id, step: 4 }, inherited: [{ id: hint, step: 0 }], dropped: [], added: [] },
  });
  const { nodes } = await window['branches.lineage']({ run });
  expect(nodes.map((node) => node.run)).toEqual([id, branch, run]);
  // A prompt whose texts were removed is said to be gone, not to be damaged.
  await store.writer.remove(run, 'text', author);
  const gone = await step(run, '5', '--prompt');
  expect(gone.json).toMatchObject({ purged: true, verified: false });
  expect(gone.lines).toEqual([
    expect.stringMatching(/^The texts of this run were removed, .* had the sha256 [0-9a-f]{64}\.$/u),
  ]);

  // A decision on an inherited step is written, undone and redone where the step was made.
  const labels = labelHandlers(holder, () => author);
  const value = async () => (await store.reader.heads(id, 2, 2))[0]?.label.value;
  await labels['labels.apply']({ run, from: 5, to: 5, value: 'train', reason: 'r' });
  await labels['labels.apply']({ run, from: 2, to: 2, value: 'mask', reason: 'r' });
  expect(await value()).toBe('mask');
  await labels['labels.undo']({ run });
  expect(await value()).toBeNull();
  expect((await store.reader.heads(run, 5, 5))[0]?.label.value).toBe('train');
  await labels['labels.redo']({ run });
  expect(await value()).toBe('mask');
  await labels['labels.comment']({ run, step: 1, text: 'Good.' });
  expect((await store.reader.heads(run, 1, 1))[0]).toMatchObject({ comments: 1, inheritedFrom: id });
}, 60_000);
