import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandTool as tool } from '@shared/log/event-fixtures';
import { expect, test } from 'vitest';
import { labelHandlers } from '../commands/labels';
import type { Store } from '../store/api';
import { alice, bob, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import type { WorkbenchHolder } from '../workbench';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { labelCommand } from './label-commands';
import { mergeCommand } from './merge-commands';

async function runOf(store: Store): Promise<string> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'out', { exitCode: 0 });
  const head = [{ role: 'user' as const, content: 'Go on.' }];
  await writer.record([
    { kind: 'segment.started', body: { segment: 2, head, tools: [tool], request: { model: 'scripted' } } },
  ]);
  for (const exitCode of [0, 1, 0, 0, 0, 0]) await writer.command('make', 'out', { exitCode });
  await writer.command('cat none', 'No such file', { ok: false });
  return writer.run;
}

function commandsOn(store: Store, author = alice) {
  const context = { store, reader: store.reader, author } as unknown as CliContext;
  return async (...words: string[]) => {
    const args = parseArguments(words);
    const result = await (words[0] === 'merge' ? mergeCommand : labelCommand)(context, args);
    return { ...result, json: result.json as Record<string, unknown> };
  };
}

const values = async (store: Store, run: string) =>
  (await store.reader.heads(run, 1, 20)).map(({ label }) => label.value ?? '-').join(' ');

test('labels steps that lie apart, adjudicates, and asks for a reason where a hard mask is lifted', async () => {
  const store = testStore();
  const run = await runOf(store);
  const waymark = commandsOn(store);
  const { lines, json } = await waymark('label', run, '6,1-2, 4', 'train', '--reason', 'r');
  expect(lines).toEqual([`TRAIN on steps 1-2, 4, 6 of run ${run}.`]);
  expect(json).toMatchObject({
    from: 1,
    to: 6,
    parts: [
      { from: 1, to: 2 },
      { from: 4, to: 4 },
      { from: 6, to: 6 },
    ],
  });
  expect(await values(store, run)).toBe('train train mask train - train - mask');
  await waymark('label', run, '2', 'mask', '--annotator', 'Cy');
  expect(await values(store, run)).toBe('train - mask train - train - mask');
  const settled = await waymark('label', 'adjudicate', run, '2', 'train');
  expect(settled.lines).toEqual([`Adjudicated: TRAIN on step 2 of run ${run}.`]);
  expect((await store.reader.heads(run, 2, 2))[0]).toMatchObject({
    label: { value: 'train', source: 'adjudication', disagreement: false },
    marks: [],
  });
  await expect(waymark('label', 'adjudicate', run, '7-8', 'train')).rejects.toThrow(
    'Step 8 is masked by error-observation',
  );
  const unreasoned = await waymark('label', run, '7-8', 'train', '--annotator', 'Di');
  expect(unreasoned).toMatchObject({
    exitCode: 1,
    json: { staysMasked: [{ step: 8, rule: 'error-observation' }] },
  });
  expect(unreasoned.lines[1]).toMatch(/^Step 8 stays masked by error-observation/);
  expect((await waymark('label', run, '7', 'train', '--annotator', 'Di')).exitCode).toBeUndefined();
  await waymark('label', 'adjudicate', run, '8', 'train', '--reason', 'the error was the point');
  expect((await store.reader.heads(run, 8, 8))[0]?.label.value).toBe('train');
  await expect(waymark('label', run, '3,99', 'train')).rejects.toThrow('there is no step 99');
  await expect(waymark('label', run, '3,x', 'train')).rejects.toMatchObject({ code: 'bad_input' });
});

test.each([
  '',
  ' ',
  'n'.repeat(5_000),
  'n'.repeat(81),
  'a\nb',
  'a\u200bb',
])('nothing is signed with %j, which no other workspace would take', async (name) => {
  const store = testStore();
  const run = await runOf(store);
  const said = commandsOn(store)('label', run, '1', 'mask', '--annotator', name);
  await expect(said).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('cannot be the name of a person'),
  });
  const written = store.writer.annotate(
    { uuid: `name:${name}`, name: name.repeat(100) },
    { run, from: 1, to: 1 },
    { op: 'label', value: 'mask', reason: null },
  );
  if (name.length > 4) await expect(written).rejects.toMatchObject({ code: 'bad_input' });
  else await written;
  const other = join(temporaryFolder(), 'labels.jsonl');
  await store.reader.exportAnnotations(other);
  await testStore().writer.merge(other);
});

test('a correction is a call that the model could have made, and stands beside the original', async () => {
  const store = testStore();
  const run = await runOf(store);
  const waymark = commandsOn(store);
  const correct = (call: string, args: string, step = '8') =>
    waymark('label', 'correct', run, step, '--call', call, '--arguments', args, '--reason', 'list first');
  await expect(correct('run_command', '{')).rejects.toThrow('not valid JSON');
  await expect(correct('run_command', '[]')).rejects.toThrow('must be a JSON object');
  await expect(correct('fly', '{}')).rejects.toThrow(
    'not offered the action "fly". Offered were: run_command',
  );
  await expect(correct('run_command', '{}')).rejects.toThrow('also needs: command');
  await expect(correct('run_command', '{"command":"ls","now":1}')).rejects.toThrow('does not take: now');
  await expect(correct('run_command', '{"command":1}')).rejects.toThrow('must be: string');
  await expect(correct('run_command', '{"command":"ls","timeout":1.5}')).rejects.toThrow('must be: integer');
  // The first segment's log names no tools.
  await correct('fly', '{}', '1');
  const { json } = await correct('run_command', '{"command":"ls"}');
  expect(json).toMatchObject({ run, step: 8 });
  const { labels, head } = await store.reader.step(run, 8);
  expect(head.marks).toContain('corrected');
  expect(labels.corrections).toMatchObject([
    {
      author: alice,
      correction: { call: { name: 'run_command', arguments: '{"command":"ls"}' }, note: 'list first' },
    },
  ]);
});

test("brings in judges' votes: all or none, each line named, the same file twice adds nothing", async () => {
  const store = testStore();
  const run = await runOf(store);
  const waymark = commandsOn(store);
  const file = join(temporaryFolder(), 'votes.jsonl');
  const bring = (...lines: unknown[]) => {
    writeFileSync(
      file,
      lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    );
    return waymark('label', 'judge', run, file);
  };
  const good = {
    step: 1,
    judge: 'One',
    value: 'mask',
    confidence: 0.4,
    reason: 'J3',
    why: 'w',
    steps: [2],
    rubric: '1',
  };
  await expect(
    bring(good, 'nonsense', { ...good, step: 99 }, { ...good, value: 'maybe' }, '', { ...good, extra: 1 }),
  ).rejects.toThrow(/line 2: not valid JSON; line 3: there is no step 99.*; line 4: value.*; line 6: /);
  expect(await store.reader.annotations(run)).toEqual([]);
  const votes = [good, { ...good, judge: 'Two', value: 'keep' }, { ...good, step: 3, value: 'keep' }];
  expect((await bring(...votes)).json).toEqual({
    run,
    added: 3,
    unchanged: 0,
    gone: 0,
    replaced: 0,
    judges: ['One', 'Two'],
  });
  expect((await bring(...votes)).json).toMatchObject({ added: 0, unchanged: 3 });
  expect((await store.reader.heads(run, 1, 3)).map(({ marks, judge }) => [marks, judge])).toEqual([
    [
      ['disagreement', 'judges_differ', 'low_confidence', 'unconfirmed'],
      { value: 'mask', confidence: 0.4, differ: true },
    ],
    [[], null],
    [
      ['disagreement', 'rule_and_judge_differ', 'low_confidence', 'unconfirmed'],
      { value: 'keep', confidence: 0.4, differ: false },
    ],
  ]);
  // A newer vote replaces the judge's own, and a judge can take its votes back, also by undo.
  await bring({ ...good, value: 'keep', confidence: 1 }, { ...good, judge: 'Two', value: 'withdrawn' });
  // The last line of a judge about a step counts, and what it takes the place of is told.
  const twice = await bring(
    { ...good, step: 4 },
    { ...good, step: 4, value: 'keep' },
    { ...good, step: 4, value: 'withdrawn' },
  );
  expect(twice.json).toMatchObject({ added: 0, replaced: 2 });
  expect(twice.lines.at(-1)).toMatch(/^2 lines not taken: a later line of the same judge/);
  const { labels } = await store.reader.step(run, 1);
  expect(labels).toMatchObject({
    effective: { value: 'train', source: 'judge' },
    judges: [{ judge: 'One', value: 'keep' }],
  });
  const two = { uuid: 'judge:Two', name: 'Two' };
  expect(await store.writer.undo(run, two)).toMatchObject({ undid: { body: { value: 'withdrawn' } } });
  expect((await store.reader.step(run, 1)).labels.judges).toHaveLength(2);
});

test.runIf(process.platform !== 'win32')(
  'votes come from a regular file of a bounded size: a pipe is not waited for, a device not read',
  async () => {
    const store = testStore();
    const run = await runOf(store);
    const file = join(temporaryFolder(), 'votes.jsonl');
    const refuses = async (why: string, make: () => void) => {
      make();
      await expect(commandsOn(store)('label', 'judge', run, file)).rejects.toThrow(
        `${file} ${why}. No vote was imported.`,
      );
      rmSync(file, { recursive: true, force: true });
    };
    await refuses('is not a regular file', () => execFileSync('mkfifo', [file]));
    await refuses('is a link, and links are not followed', () => symlinkSync('/dev/zero', file));
    await refuses('is larger than 32 MB', () => {
      writeFileSync(file, '');
      truncateSync(file, 900_000_000_000);
    });
    await refuses('has a line longer than 1 MB (line 2)', () =>
      writeFileSync(file, `\n${'x'.repeat(3_000_000)}`),
    );
    await expect(commandsOn(store)('label', 'judge', run, '/dev/zero')).rejects.toMatchObject({
      code: 'bad_input',
    });
    await expect(commandsOn(store)('label', 'judge', run, file)).rejects.toMatchObject({ code: 'not_found' });
    // What is no text is not read as one.
    writeFileSync(
      file,
      Buffer.concat([Buffer.from('\n{"step":1,"judge":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]),
    );
    await expect(commandsOn(store)('label', 'judge', run, file)).rejects.toThrow(
      /is not UTF-8 text \(line 2\)/,
    );
    // Of five thousand bad lines all are counted, ten are named.
    writeFileSync(file, '{}\n'.repeat(5_000));
    await expect(commandsOn(store)('label', 'judge', run, file)).rejects.toThrow(
      /line 10: .*; and 4990 more/,
    );
  },
);

test('a branch of a removed run takes labels and votes for the steps that are still here', async () => {
  const store = testStore();
  const first = await runOf(store);
  const writer = await RunWriter.branchOf(store, first, 2);
  const { run } = writer;
  for (let step = 3; step <= 5; step += 1) await writer.command('make', 'out');
  await store.writer.remove(first, 'run', alice);
  const file = join(temporaryFolder(), 'votes.jsonl');
  const votes = [1, 2, 3, 4, 5].map((step) => JSON.stringify({ step, judge: 'One', value: 'mask' }));
  writeFileSync(file, votes.join('\n'));
  const brought = await commandsOn(store)('label', 'judge', run, file);
  expect(brought.json).toMatchObject({ added: 3, unchanged: 0, gone: 2 });
  expect(brought.lines).toEqual([
    'Imported 3 votes by One; 0 were already here.',
    '2 votes left out: the run that made these steps has been removed.',
  ]);
  writeFileSync(file, '{"step":3,"judge":"Two","value":"withdrawn"}');
  expect((await commandsOn(store)('label', 'judge', run, file)).lines).toEqual([
    'Imported no votes; 0 were already here.',
    '1 withdrawal found no vote to withdraw.',
  ]);
  await commandsOn(store)('label', run, '1-4', 'train');
  expect(await values(store, run)).toBe('- - train train mask');
  await expect(commandsOn(store)('label', run, '1-2', 'train')).rejects.toMatchObject({ code: 'not_found' });
  // Whose word counts is chosen by name.
  writeFileSync(file, JSON.stringify({ step: 3, judge: alice.name, value: 'mask' }));
  await expect(commandsOn(store)('label', 'judge', run, file)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/^Alice is a person who labels in this workspace.*another name.* in /),
  });
});

test('exports the log and merges it elsewhere, and says what came', async () => {
  const [here, there] = [temporaryFolder(), temporaryFolder()];
  const first = testStore(here);
  const run = await runOf(first);
  await first.drain();
  await first.close();
  cpSync(here, there, { recursive: true });
  const [mine, theirs] = [testStore(here), testStore(there)];
  await commandsOn(mine)('label', run, '1', 'train');
  await commandsOn(theirs, bob)('label', run, '1-2', 'mask');
  const file = join(temporaryFolder(), 'labels.jsonl');
  expect((await commandsOn(theirs)('label', 'export', '--out', file)).lines).toEqual([
    `Wrote 1 entry to ${file}.`,
  ]);
  expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('{"format":"waymark-annotations","version":1}');
  expect((await commandsOn(mine)('merge', file)).lines).toEqual([
    'Merged 1 entry by Bob about 1 run; 0 were here already.',
    '1 new disagreement to settle; nothing was overwritten.',
  ]);
  expect((await commandsOn(mine)('merge', there)).lines).toEqual([
    `Nothing new in ${there}: its 1 entry is here already.`,
  ]);
  const backup = await theirs.writer.backup();
  expect((await commandsOn(mine)('merge', backup)).lines).toEqual([
    `Nothing new in ${backup}: its 1 entry is here already.`,
    'Only its labels, comments, votes and assignments were merged. "restore" brings its hints and rule settings back as well, into a new folder.',
  ]);
  const empty = commandsOn(testStore());
  expect((await empty('merge', file)).lines.at(-1)).toBe(
    `Set aside 1 entry: the steps are not in this workspace. They will count once they are, in run ${run}.`,
  );
  for (const place of [join(file, 'no'), here]) {
    await expect(empty('label', 'export', '--out', place)).rejects.toMatchObject({ code: 'bad_input' });
  }
  expect(existsSync(`${here}.tmp`)).toBe(false);
});

test('the window labels what is alike or left, and undoes it as one', async () => {
  const store = testStore();
  const run = await runOf(store);
  const holder = { require: () => ({ store }) } as unknown as WorkbenchHolder;
  const labels = labelHandlers(holder, () => alice);
  const before = await values(store, run);
  const similar = await labels['labels.similar']({ run, step: 1 });
  expect(similar).toMatchObject({ tool: 'run_command', rules: [], steps: 6, now: { undecided: 6 } });
  const label = { run, value: 'train' as const, reason: null };
  await labels['labels.applyTo']({ ...label, parts: similar.parts });
  const rest = await labels['labels.rest']({ run, from: 8, to: 1 });
  expect(rest.parts).toEqual([
    { from: 3, to: 3 },
    { from: 8, to: 8 },
  ]);
  await labels['labels.applyTo']({ ...label, value: 'mask', parts: [...rest.parts].reverse() });
  expect(await values(store, run)).toBe('train train mask train train train train mask');
  expect(await labels['labels.undo']({ run })).toMatchObject({ target: { target: { parts: rest.parts } } });
  expect(await labels['labels.undo']({ run })).toMatchObject({
    target: { target: { parts: similar.parts } },
  });
  expect(await values(store, run)).toBe(before);
  const entry = await labels['labels.adjudicate']({ run, from: 2, to: 1, value: 'mask', reason: null });
  expect(entry.target).toEqual({ run, from: 1, to: 2 });
  await expect(labels['labels.applyTo']({ ...label, parts: [{ from: 3, to: 2 }] })).rejects.toMatchObject({
    code: 'bad_input',
  });
  const beyond = { run, from: 1, to: 1_761_512_959, value: 'train', reason: null } as const;
  await expect(labels['labels.adjudicate'](beyond)).rejects.toThrow('The run has no steps 1 to 1761512959');
  const far = [
    { from: 1, to: 2 },
    { from: 5, to: 1_761_512_959 },
  ];
  await expect(labels['labels.adjudicate']({ ...beyond, parts: far })).rejects.toThrow(
    'The run has no steps',
  );
  const timed = await labels['labels.apply']({ ...label, from: 1, to: 1, dwellMs: 900 });
  expect(timed.body).toMatchObject({ dwellMs: 900 });
});

test('undo takes back what was done last, whole, and says what that was', async () => {
  const store = testStore();
  const run = await runOf(store);
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const label = (...words: string[]) => labelCommand(context, parseArguments(['label', ...words]));
  const before = await values(store, run);
  await label(run, '1', 'mask');
  await label(run, '3,5-6', 'train');
  expect((await label('undo', run)).lines).toEqual([`Undid TRAIN on steps 3, 5-6 of run ${run}.`]);
  expect((await label('undo', run)).lines).toEqual([`Undid MASK on step 1 of run ${run}.`]);
  expect(await values(store, run)).toBe(before);
  await expect(label('undo', run)).rejects.toMatchObject({ code: 'not_found' });
});
