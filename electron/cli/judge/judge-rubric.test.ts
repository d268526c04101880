import { readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { RubricTrial } from '@shared/judging/rubric-trial';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../model/scripted-server';
import { resourcesDir } from '../../testing/agent-host/agent-setup';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { judgeAnswer } from '../../testing/scripted-judges';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { judgeCommand } from './judge-commands';

/** A run of four steps; the judge masks the first, and by a rubric that says OTHER the second. */
async function stand() {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= 4; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const { run } = writer;
  const task = (await store.reader.run(run)).task.id;
  let beforeAnswer: () => Promise<unknown> = async () => undefined;
  let onlyTalks = false;
  const model = await startScriptedModel({
    policy: async (request) => {
      await beforeAnswer();
      if (onlyTalks) return { text: 'I would rather not.' };
      const masked = String(request.messages[0]?.content).includes('OTHER') ? 2 : 1;
      return judgeAnswer(request, (step) => (step === masked ? 'mask' : 'keep'));
    },
  });
  onTestFinished(() => model.close());
  const endpoints = [endpointSchema.parse({ name: 'strict', baseUrl: model.baseUrl, model: 'judge-1' })];
  const context = {
    store,
    reader: store.reader,
    author: alice,
    resourcesDir,
    settings: settingsSchema.parse({ endpoints }),
    environment: new Map(),
  } as unknown as CliContext;
  const file = join(temporaryFolder(), 'rubric.md');
  writeFileSync(file, 'Keep what helps.\n\nOTHER\n');
  const judge = (...words: string[]) => judgeCommand(context, parseArguments(['judge', ...words]));
  const onAnswer = (act: () => Promise<unknown>) => {
    beforeAnswer = act;
  };
  const onlyTalk = () => {
    onlyTalks = true;
  };
  return { store, run, task, file, judge, model, onAnswer, onlyTalk };
}

it('a text that somebody keeps while it is tried makes votes of the trial, and that is said', async () => {
  const { run, task, file, judge, onAnswer } = await stand();
  onAnswer(() => judge('rubric', 'set', file, '--task', task));
  expect((await judge('rubric', 'try', file, '--run', run)).lines.at(-1)).toBe(
    `Task ${task} was given this text in the meantime, so these verdicts are votes now.`,
  );
  expect((await judge('rubric', 'try', file, '--run', run)).lines.at(-1)).toBe(
    `Task ${task} is judged by this text already, so there is nothing to compare.`,
  );
});

it('a new judge has not the name of a person who labels here or asks; one that has voted keeps its name', async () => {
  const { store, run, file, judge } = await stand();
  const label = { op: 'label', value: 'train', reason: null } as const;
  const onFirst = { run, from: 1, to: 1 };
  await store.writer.annotate(bob, onFirst, label);
  for (const { name } of [alice, bob]) {
    const refused = { code: 'bad_input', message: expect.stringMatching(`^${name} is a person`) };
    await expect(judge('run', '--judge', name)).rejects.toMatchObject(refused);
    await expect(judge('rubric', 'try', file, '--run', run, '--judge', name)).rejects.toMatchObject(refused);
  }
  await judge('run', '--judge', 'Cy');
  await store.writer.annotate({ uuid: 'person', name: 'Cy' }, onFirst, label);
  expect((await judge('run', '--judge', 'Cy')).json).toMatchObject({ asked: 0 });
});

it('a trial that comes to no verdict by the text in use claims none', async () => {
  const { run, task, file, judge, onlyTalk } = await stand();
  await judge('rubric', 'set', file, '--task', task);
  onlyTalk();
  const { lines } = await judge('rubric', 'try', file, '--run', run, '--judge', 'talker');
  expect(lines[0]).toMatch(/^No vote was stored/);
  expect(lines.join(' ')).not.toMatch(/these verdicts are votes|nothing to compare/);
});

it('a rubric is shown, compared, kept and given up', async () => {
  const { task, file, judge } = await stand();
  const on = ['--task', task];
  const builtIn = await judge('rubric', 'show', ...on);
  expect(builtIn.lines[0]).toMatch(/^Task .* is judged by the built-in rubric, steps@[0-9a-f]{12}\.$/);
  expect(builtIn.json).toMatchObject({ kept: null, text: expect.stringContaining('{{points}}') });
  expect((await judge('rubric', 'diff', ...on)).lines).toEqual([
    `There is no difference between the built-in text and the rubric of task ${task}.`,
  ]);
  const out = join(temporaryFolder(), 'built-in.md');
  expect((await judge('rubric', 'show', ...on, '--out', out)).lines[1]).toBe(`Its text is in ${out}.`);
  expect(readFileSync(out, 'utf8')).toBe((builtIn.json as { text: string }).text);
  const nowhere = join(temporaryFolder(), 'link.md');
  symlinkSync('nowhere', nowhere);
  for (const taken of [out, nowhere])
    await expect(judge('rubric', 'show', ...on, '--out', taken)).rejects.toMatchObject({
      code: 'already_exists',
    });
  for (const odd of [join(out, 'below-a-file'), join(temporaryFolder(), 'x'.repeat(300))])
    await expect(judge('rubric', 'show', ...on, '--out', odd)).rejects.toMatchObject({ code: 'bad_input' });
  expect(readlinkSync(nowhere)).toBe('nowhere');
  expect((await judge('rubric', 'reset', ...on)).lines).toEqual([
    expect.stringMatching(/^Task .* has no rubric of its own: it is judged by the built-in one, steps@/),
  ]);
  const set = await judge('rubric', 'set', file, ...on);
  expect(set.json).toMatchObject({ task, adopted: 0, kept: { author: alice.name } });
  expect(set.lines[0]).toMatch(/a rubric of its own, steps@[0-9a-f]{12}, saved by Alice on /);
  expect((await judge('rubric', 'show', ...on)).json).toMatchObject({ text: 'Keep what helps.\n\nOTHER\n' });
  const { lines } = await judge('rubric', 'diff', ...on);
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/\+ Keep what helps\.$/)]));
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/- # What to mask$/)]));
  expect((await judge('rubric', 'diff', file, ...on)).lines[0]).toMatch(/There is no difference/);
  const reset = await judge('rubric', 'reset', ...on);
  expect(reset.json).toMatchObject({ kept: null });
});

it('the rubric for summaries is shown, compared, set and reset by the same commands, and cannot be tried', async () => {
  const { run, task, file, judge } = await stand();
  const on = ['--task', task, '--summaries'];
  const builtIn = await judge('rubric', 'show', ...on);
  expect(builtIn.json).toMatchObject({ task, kind: 'summaries', kept: null });
  expect(builtIn.lines[0]).toMatch(/^The summaries of task .* are judged by the built-in rubric, summaries@/);
  expect((await judge('rubric', 'reset', ...on)).lines).toEqual([
    expect.stringMatching(
      /^Task .* has no rubric of its own for summaries: they are judged by the built-in one/,
    ),
  ]);
  expect((await judge('rubric', 'diff', file, ...on)).lines[0]).toMatch(
    /^- the rubric for summaries of task /,
  );
  const set = await judge('rubric', 'set', file, ...on);
  expect(set.lines).toEqual([
    expect.stringMatching(
      /^The summaries of task .* are judged by a rubric of their own, summaries@.* saved by Alice/,
    ),
    expect.stringMatching(/^Summaries that were judged by another text keep their votes until/),
  ]);
  expect((await judge('rubric', 'show', '--task', task)).json).toMatchObject({ kind: 'steps', kept: null });
  await expect(judge('rubric', 'try', file, '--run', run, '--summaries')).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/cannot be tried.*judge rubric set FILE --task T --summaries/),
  });
  expect((await judge('rubric', 'reset', ...on)).json).toMatchObject({ kind: 'summaries', kept: null });
});

it('a byte order mark at the beginning of the file is no part of the rubric', async () => {
  const { task, file, judge } = await stand();
  const plain = await judge('rubric', 'set', file, '--task', task);
  writeFileSync(file, `\uFEFF${readFileSync(file, 'utf8')}`);
  const marked = await judge('rubric', 'set', file, '--task', task);
  expect(marked.json).toMatchObject({ version: (plain.json as { version: string }).version });
});

it('a rubric is tried on a run: which verdicts would change, against people; setting it makes them votes', async () => {
  const { store, run, task, file, judge, model } = await stand();
  await judge('run', '--run', run);
  for (const step of [1, 2]) {
    const op = { op: 'label', value: step === 1 ? 'train' : 'mask', reason: null } as const;
    await store.writer.annotate(alice, { run, from: step, to: step }, op);
  }
  const { json, lines, exitCode } = await judge('rubric', 'try', file, '--run', run);
  expect((json as { trial: RubricTrial }).trial).toMatchObject({
    compared: 4,
    toMask: 1,
    toKeep: 1,
    precision: { before: { value: 0, n: 1 }, after: { value: 1, n: 1 } },
    recall: { before: { value: 0, n: 1 }, after: { value: 1, n: 1 } },
  });
  expect(exitCode).toBe(0);
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Tried by strict: 4 votes, 1 of them MASK/),
      expect.stringMatching(/changed +1 from KEEP to MASK, 1 from MASK to KEEP/),
      expect.stringMatching(/of its masks +right 0 % \(.*n = 1\) before, 100 % \(.*n = 1\) after/),
      expect.stringMatching(/^ {2}1 +MASK → KEEP +people TRAIN +sound: Because\.$/),
      expect.stringMatching(/^ {2}2 +KEEP → MASK +people MASK +blind-edit: Because\.$/),
    ]),
  );
  const votes = async () =>
    Promise.all([1, 2].map(async (step) => (await store.reader.step(run, step)).labels.judges[0]?.value));
  expect(await votes()).toEqual(['mask', 'keep']);
  const set = await judge('rubric', 'set', file, '--task', task);
  expect(set.lines).toContain('4 verdicts of trials by this text count as votes from now on.');
  expect(await votes()).toEqual(['keep', 'mask']);
  // What is kept for the task holds from now on, unless the built-in text is asked for by name.
  const asked = model.requests.length;
  expect((await judge('run', '--run', run)).json).toMatchObject({ asked: 0 });
  expect((await judge('estimate', '--run', run, '--rubric', 'built-in')).json).toMatchObject({ steps: 4 });
  expect(
    (await judge('estimate', '--run', run, '--rubric', 'built-in', '--steps', 'changed')).json,
  ).toMatchObject({ steps: 4 });
  expect(model.requests).toHaveLength(asked);
  // The votes before and after are told apart by their rubrics.
  const { json: agreement } = await judge('agreement', '--run', run);
  expect(agreement).toMatchObject({ drift: [{ judge: 'strict', steps: 4, toMask: 1, toKeep: 1 }] });
});

it.each([
  [['rubric'], /Write "judge rubric show --task T"/],
  [['rubric', 'show'], /The task \(--task ID\)/],
  [['rubric', 'show', '--task', 'nowhere'], /There is no task "nowhere"/],
  [['rubric', 'set', '--task', 'x'], /The file of the rubric/],
  [['rubric', 'try', resourcesDir, '--run', 'x'], /is not a regular file/],
])('%j is refused with what to do', async (words, message) => {
  const { judge } = await stand();
  await expect(judge(...words)).rejects.toMatchObject({ message: expect.stringMatching(message) });
});
