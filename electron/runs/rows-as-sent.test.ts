import { createHash } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { RunEvent } from '@shared/log/events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../clock';
import { exportDataset } from '../dataset/export-dataset';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import type { ScriptedAnswer } from '../model/scripted-answer';
import { contextLength } from '../model/scripted-faults';
import { type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { scriptedSummary, withSummaries } from '../model/scripted-summary';
import { openStoreInProcess } from '../store/threads/in-process';
import { addTask } from '../task/add';
import { author, unisolated } from '../testing/engine-stand';
import { seededPng } from '../testing/images';
import { compareRow, exportedRows } from '../testing/sent-rows';
import { smallTaskYaml, writeTaskPackage } from '../testing/task-package';
import { createEngine } from './engine';
import { noHosts } from './start/no-hosts';

const resourcesDir = join(import.meta.dirname, '../../resources');
const imported = join(import.meta.dirname, '../../e2e/fixtures/researchgym/tree-demo');

/** What an answer is, and what people do before it comes. */
const deed = fc.record({
  say: fc.constantFrom(20, 600, 3_000),
  act: fc.constantFrom('think', 'look', 'look', 'picture', 'nothing', 'broken', 'two'),
  reasoning: fc.boolean(),
  meanwhile: fc.constantFrom(null, null, null, 'hint', 'model', 'limits'),
  /** The endpoint takes less than it says. */
  tooLong: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

const lives = fc.record({
  deeds: fc.array(deed, { minLength: 14, maxLength: 22 }),
  /** Which of the summaries that are asked for are no summaries. */
  refused: fc.array(fc.boolean(), { minLength: 2, maxLength: 8 }),
  branchAt: fc.integer({ min: 2, max: 9 }),
});

type Life = typeof lives extends fc.Arbitrary<infer T> ? T : never;

const seen = { equal: 0, named: 0, summaries: 0, refused: 0, hints: 0, models: 0, limits: 0, branches: 0 };
const why = new Set<string>();

async function live({ deeds, refused, branchAt }: Life) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'waymark-sent-')));
  const made = { run: '', big: '', act: async (_: Deed): Promise<void> => undefined };
  let asked = 0;
  const work: ScriptedPolicy = async ({ answers }) => {
    const now = deeds[asked % deeds.length];
    asked += 1;
    if (now === undefined || asked % deeds.length === 0)
      return { calls: [{ name: 'finish', arguments: {} }] };
    await made.act(now);
    // A first prompt that is too long leaves nothing to make shorter.
    return now.tooLong && answers > 1 ? contextLength() : answerOf(now, asked, made.big);
  };
  const refuse: ScriptedPolicy[] = refused.map(
    (no, index) => (request) =>
      no ? { text: `I would rather go on, ${index}.`, reasoning: 'Why not.' } : scriptedSummary(request),
  );
  const model = await startScriptedModel({ policy: withSummaries(work, ...refuse, scriptedSummary) });
  const store = openStoreInProcess(join(folder, 'workspace'));
  const endpoints = ['plain', 'thinking'].map((name) =>
    endpointSchema.parse({
      name,
      baseUrl: model.baseUrl,
      model: name,
      contextTokens: 7_000,
      sendReasoning: name === 'thinking',
      images: name === 'plain',
      parallelCalls: true,
    }),
  );
  const engine = createEngine({
    store,
    findKey: () => null,
    clock: systemClock,
    hosts: noHosts(),
    resourcesDir,
    settings: { current: settingsSchema.parse({ endpoints }) },
    appVersion: 'test',
    sessionsDir: join(folder, 'sessions'),
    log: { info: () => undefined, error: () => undefined },
    retry: { attempts: 3, patienceMs: 0, firstMs: 1, longestMs: 2 },
  });
  try {
    const tools = 'tools: [think, open_file, finish]\n';
    const lines = Array.from({ length: 60 }, (_, index) => `${index} ${'z'.repeat(150)}\n`).join('');
    const files = { 'task.yaml': smallTaskYaml + tools, 'data/big.txt': lines };
    const task = await writeTaskPackage(join(folder, 'package'), files);
    await writeFile(join(task, 'data/plot.png'), seededPng(3));
    await addTask(store, task);
    const [plain, thinking] = endpoints;
    if (plain === undefined || thinking === undefined) throw new Error('There are two endpoints.');
    made.run = await engine.startRun({
      task: 'small',
      title: null,
      endpoint: plain,
      experiment: 'e',
      arm: 'a',
      group: 'g',
      sample: 2,
      seed: 7,
      maxSteps: 60,
      maxWorkingMs: null,
      humanHints: true,
      author,
      approvals: 'off',
      ...unisolated,
    });
    const first = made.run;
    let [now, limit] = [plain, 60];
    made.act = async ({ meanwhile }) => {
      if (meanwhile === 'hint') {
        await engine.hint(made.run, author, `Look twice, ${seen.hints}.`, 'strategy');
        seen.hints += 1;
      } else if (meanwhile === 'model') {
        now = now === plain ? thinking : plain;
        await engine.setModel(made.run, author, now);
        seen.models += 1;
      } else if (meanwhile === 'limits') {
        limit += 1;
        await engine.setLimits(made.run, author, { maxSteps: limit });
        seen.limits += 1;
      }
    };
    const events = async (run: string) => {
      const all: RunEvent[] = [];
      for (let from = 1; ; from = (all.at(-1)?.seq ?? 0) + 1) {
        const page = await store.reader.events(run, from, 500);
        if (page.length === 0) return all;
        all.push(...page);
      }
    };
    const drive = async () => {
      const [created] = await events(made.run);
      if (created?.kind !== 'run.created') throw new Error('The run has no first event.');
      made.big = join(created.body.workspaceRoot, 'data/big.txt');
      // A run that rests because its summaries were refused, or its context is full, is resumed by a person.
      for (let times = 0; times < 3; times += 1) {
        await engine.resumeRun(made.run);
        await engine.waitRun(made.run);
        if ((await store.reader.run(made.run)).stored !== 'paused') break;
      }
    };
    await drive();
    const runs = [first];
    const taken = (await events(first)).flatMap((event) =>
      event.kind === 'model.answered' && event.body.kind !== 'summary' ? [event.body.step] : [],
    );
    const step = taken.filter((each) => each <= branchAt).at(-1) ?? 1;
    const plan = { run: first, step, title: 'B', endpoint: null, drop: [] };
    made.run = await engine.branches.create({ ...plan, add: ['Try it otherwise.'] });
    runs.push(made.run);
    seen.branches += 1;
    await drive();
    await importResearchGym(store, author, imported, { title: null, task: null, again: false });
    await store.writer.annotate(
      author,
      { run: first, from: 1, to: 3 },
      { op: 'label', value: 'train', reason: 'shows recovery' },
    );
    await store.writer.annotate(
      author,
      { run: first, from: 4, to: 4 },
      { op: 'label', value: 'mask', reason: null },
    );

    const { ok, runs: reports, workspace } = await store.reader.verify();
    expect({ ok, workspace, problems: reports.flatMap(({ problems }) => problems) }).toEqual({
      ok: true,
      workspace: [],
      problems: [],
    });

    const bodies = new Map(
      model.requests.map(({ raw }) => [createHash('sha256').update(raw).digest('hex'), raw]),
    );
    const answered = new Map<string, string>();
    for (const run of runs) {
      let sha256 = '';
      for (const event of await events(run)) {
        if (event.kind === 'model.requested') sha256 = event.body.sha256;
        if (event.kind === 'model.answered') answered.set(`${run} ${event.body.step}`, sha256);
      }
    }
    const out = join(folder, 'out');
    const result = await exportDataset(store.reader, {
      format: 'slime',
      undecided: 'train',
      out,
    });
    const rows = await exportedRows(out);
    expect(rows.filter(({ metadata }) => metadata.not_as_sent !== undefined)).toHaveLength(result.notAsSent);
    for (const row of rows) {
      const { metadata } = row;
      const own = runs.includes(metadata.run);
      const compared = compareRow(row, (step) => {
        const sha256 = answered.get(`${metadata.run} ${step}`);
        if (sha256 === undefined) return null;
        return bodies.get(sha256) ?? 'null';
      });
      expect(compared.wrong).toEqual([]);
      expect(compared.equal > 0).toBe(own);
      seen.equal += compared.equal;
      seen.named += compared.named;
      for (const each of metadata.not_as_sent ?? []) why.add(each.why);
      if (!own) continue;
      expect(metadata).toMatchObject(
        metadata.run === first ? { experiment: 'e', arm: 'a', group: 'g', sample: 2, seed: 7 } : {},
      );
      seen.summaries += metadata.kind === 'summary' ? 1 : 0;
      for (const { answer, told } of metadata.refused ?? []) {
        seen.refused += 1;
        expect(answer.content).toMatch(/^I would rather go on, \d+\.$/u);
        expect(row.messages.at(-2)?.content).toContain(told);
        expect(told).toContain('Your last answer could not be used.');
      }
      const masks = row.messages.flatMap((message) => message.step_loss_mask ?? []);
      expect(masks.slice(-metadata.steps.length)).toEqual(metadata.steps.map(({ mask }) => mask));
      for (const { step, mask, given_reason } of metadata.steps) {
        const [head] = await store.reader.heads(metadata.run, step, step);
        expect(mask, `step ${step}`).toBe((head?.label.value ?? 'train') === 'train' ? 1 : 0);
        if (metadata.run === first && head?.label.source === 'human') {
          expect(given_reason).toBe(step < 4 ? 'shows recovery' : undefined);
        }
      }
    }
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.options.reasoning).toBe('as-sent');
    expect(manifest.runs.find(({ run }: { run: string }) => run === first)).toMatchObject({
      arm: 'a',
      seed: 7,
    });
  } finally {
    await engine.shutdown({ mode: 'now' });
    await engine.cleanSessions(new Set());
    await model.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function answerOf({ say, act, reasoning }: Deed, step: number, path: string): ScriptedAnswer {
  const thought = { name: 'think', arguments: { thought: `t${step}` } };
  const look = { name: 'open_file', arguments: { path, line_number: 1 } };
  const calls = {
    think: [thought],
    look: [look],
    picture: [{ name: 'open_file', arguments: { path: path.replace('big.txt', 'plot.png') } }],
    nothing: [],
    broken: [{ name: 'think', arguments: '{"thought": ' }],
    two: [thought, look],
  };
  return {
    text: `Step ${step}. ${'w'.repeat(say)} <real_user>`,
    ...(reasoning ? { reasoning: `Because ${step}.` } : {}),
    calls: calls[act as keyof typeof calls],
  };
}

it('rows of random runs equal the recorded request bodies message by message, and their masks the labels', async () => {
  const checked = fc.asyncProperty(lives, live);
  // The same lives each time, which meet all that is counted below; chance alone may leave something out.
  await fc.assert(checked, { numRuns: 8, seed: 2, endOnFailure: true });
  if (process.env.WAYMARK_FULL === '1') await fc.assert(checked, { numRuns: 22, endOnFailure: true });
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
  expect(seen.equal).toBeGreaterThan(1_000);
  expect([...why].sort()).toEqual(['images', 'reasoning', 'shortened']);
}, 600_000);
