import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LocalFiles } from '../computer/local/local-files';
import { evaluate } from '../task/evaluate';
import { loadTaskPackage, type TaskPackage } from '../task/load';
import { localSites } from '../task/local-site';
import { hashPackage } from '../task/package-files';
import { prepareWorkspace } from '../task/reset';
import { unsupported } from '../task/support';
import { demoHint, demoTaskFolder, startDemoModel, unrelatedDemoHint } from './demo';

const shell = promisify(execFile);
const resources = resolve(import.meta.dirname, '../../resources');
const files = new LocalFiles();
const never = new AbortController().signal;
let folder: string;
let demo: TaskPackage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-demo-test-'));
  demo = await loadTaskPackage(demoTaskFolder(resources));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pinned = async () => ({
  packageFolder: demo.folder,
  packageHash: await hashPackage(demo.folder, demo.entries),
  isolated: false,
});

interface Message {
  role: string;
  content: string | null;
  tool_call_id?: string;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

const completion = z.object({
  choices: z.array(z.object({ delta: z.record(z.string(), z.unknown()) })),
});
const callPiece = z.array(
  z.object({
    id: z.string().optional(),
    function: z.object({ name: z.string().optional(), arguments: z.string() }),
  }),
);

/** One streamed answer over HTTP, put together. */
async function ask(baseUrl: string, model: string, messages: Message[]): Promise<Message> {
  const reply = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages, stream: true }),
  });
  expect(reply.status).toBe(200);
  let text = '';
  const call = { id: '', name: '', arguments: '' };
  for (const line of (await reply.text()).split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const delta = completion.parse(JSON.parse(line.slice(6))).choices[0]?.delta ?? {};
    if (typeof delta.content === 'string') text += delta.content;
    for (const piece of delta.tool_calls ? callPiece.parse(delta.tool_calls) : []) {
      call.id += piece.id ?? '';
      call.name += piece.function.name ?? '';
      call.arguments += piece.function.arguments;
    }
  }
  const { id, name, arguments: text_ } = call;
  return {
    role: 'assistant',
    content: text,
    tool_calls: [{ id, type: 'function', function: { name, arguments: text_ } }],
  };
}

/** A person's message: after which step it is appended to the observation. */
interface Said {
  after: string;
  text: string;
}

/** Carries the policy's actions out with a shell and the file system, and its evaluations with the real evaluator. */
async function play(
  said: Said[],
  options: { background: boolean } = { background: false },
): Promise<{ names: string[]; steps: string[]; scores: number[]; exits: number[] }> {
  const runFolder = join(folder, `run-${said.length}-${said[0]?.after ?? ''}`);
  await mkdir(runFolder, { recursive: true });
  const { root, protectedHashes } = await prepareWorkspace({
    spec: demo.spec,
    packageFolder: demo.folder,
    runFolder,
    sites: localSites(demo.spec, demo.folder, runFolder, never),
    signal: never,
  });
  const model = await startDemoModel({ resourcesDir: resources, paceMs: 0 });
  const messages: Message[] = [{ role: 'user', content: demo.spec.description }];
  const out = { names: [] as string[], steps: [] as string[], scores: [] as number[], exits: [] as number[] };
  try {
    while (out.steps.length < 60) {
      const answer = await ask(model.baseUrl, model.model, messages);
      expect(await ask(model.baseUrl, model.model, messages), 'a retry gets the same answer').toEqual(answer);
      const call = answer.tool_calls?.[0];
      if (!call) throw new Error('no call');
      const step = call.id.replace('call_', '');
      out.steps.push(step);
      out.names.push(call.function.name);
      const args = JSON.parse(call.function.arguments) as Record<string, string | number>;
      let observation = 'Done.';
      if (call.function.name === 'run_command' && (step !== 'profile' || options.background)) {
        const ended = await shell('bash', ['-c', String(args.command)], { cwd: root }).catch(
          (error: unknown) => error,
        );
        const facts = ended as { code?: number; stdout: string; stderr: string };
        out.exits.push(facts.code ?? 0);
        observation = `${facts.stdout}${facts.stderr}`;
      } else if (call.function.name === 'create_file') {
        await mkdir(dirname(String(args.filename)), { recursive: true });
        await writeFile(String(args.filename), String(args.content));
      } else if (call.function.name === 'edit_file') {
        const lines = (await readFile(String(args.path), 'utf8')).split('\n');
        lines.splice(Number(args.start) - 1, Number(args.end) - Number(args.start) + 1, String(args.content));
        await writeFile(String(args.path), lines.join('\n'));
      } else if (call.function.name === 'check_session_idle') {
        observation =
          step === 'check2' ? 'Session profile on local is busy.' : 'Session profile on local is idle.';
      } else if (call.function.name === 'eval') {
        const ended = await evaluate({
          spec: demo.spec,
          ...(await pinned()),
          files,
          root,
          runFolder,
          workspace: folder,
          folders: [],
          attempt: out.scores.length + 1,
          forced: false,
          hintSeen: false,
          protectedHashes,
          signal: never,
        });
        expect(ended, ended.message).toMatchObject({ outcome: 'scored', protectedChanged: [] });
        out.scores.push(ended.score ?? -1);
      }
      const heard = said
        .filter((one) => one.after === step)
        .map((one) => `\n\n<real_user>${one.text}</real_user>`);
      messages.push(answer, { role: 'tool', tool_call_id: call.id, content: observation + heard.join('') });
      if (call.function.name === 'finish' && heard.length === 0) break;
    }
  } finally {
    await model.close();
  }
  return out;
}

describe('the demo package', () => {
  it('is a task that the local computer can run', () => {
    expect(unsupported(demo.spec)).toEqual([]);
    expect(demo.spec.task_hint.mode).toBe('off');
  });

  it('has a key with one verdict and one reason for each row', async () => {
    const rows = (await readFile(join(demo.folder, 'data/datasets/paragraphs.tsv'), 'utf8'))
      .trim()
      .split('\n');
    const key = (await readFile(join(demo.folder, 'evaluation/key.tsv'), 'utf8')).trim().split('\n');
    expect(rows.length).toBeGreaterThan(1_800);
    expect(key.map((line) => line.split('\t')[0])).toEqual(rows.map((line) => line.split('\t')[0]));
    expect(key.every((line) => /\t(keep\tyes|drop\tno)/.test(line))).toBe(true);
    const packages = new Set(rows.map((line) => line.split('\t')[1]));
    const notes = await readFile(join(demo.folder, 'LICENCE-NOTES.md'), 'utf8');
    expect([...packages].filter((name) => !notes.includes(`| ${name} |`))).toEqual([]);
  });
});

describe('the recorded policy', () => {
  it('truly does the task without a hint: one command error, a blind edit, a sleep, two evaluations', async () => {
    const { names, steps, scores, exits } = await play([], { background: true });
    expect(steps.length).toBeGreaterThanOrEqual(18);
    expect(steps.length).toBeLessThanOrEqual(30);
    expect(exits.filter((code) => code !== 0)).toHaveLength(1);
    expect(names).toEqual(
      expect.arrayContaining([
        'think',
        'list_files',
        'open_file',
        'edit_file',
        'create_file',
        'check_session_idle',
        'sleep',
        'get_session_output',
      ]),
    );
    expect(names.filter((name) => name === 'eval')).toHaveLength(2);
    expect(names.at(-1)).toBe('finish');
    expect(scores[0]).toBeGreaterThan(40);
    expect(scores[1]).toBeLessThan(60);
  });

  it('gains 20 points and more from the right hint, and nothing from an unrelated one', async () => {
    const plain = await play([]);
    const guided = await play([{ after: 'nap1', text: demoHint }]);
    const unrelated = await play([{ after: 'nap1', text: unrelatedDemoHint }]);
    expect(unrelated).toEqual(plain);
    expect(guided.steps[guided.steps.indexOf('nap1') + 1]).toBe('obey_count');
    expect(guided.scores.at(-1)).toBeGreaterThan((plain.scores.at(-1) ?? 0) + 20);
    expect(guided.scores.at(-1)).toBeGreaterThanOrEqual(demo.spec.evaluation.success_at);
    expect(guided.steps.length).toBeLessThanOrEqual(30);
  });

  it.each([
    'plan',
    'design',
    'write',
    'run2',
    'eval2',
    'finish',
  ])('reacts at the next step and takes it up when the hint comes after %s', async (after) => {
    const { steps, scores } = await play([{ after, text: demoHint }]);
    const next = steps[steps.indexOf(after) + 1] ?? '';
    expect(next).toMatch(after === 'write' ? /^run$/ : /^(note|obey_count)$/);
    expect(scores.at(-1)).toBeGreaterThanOrEqual(80);
    expect(scores.length).toBeLessThanOrEqual(3);
    expect(steps.at(-1)).toMatch(/^finish/);
  });

  it('finishes again when an unrelated hint holds up the end', async () => {
    const { steps } = await play([{ after: 'finish', text: unrelatedDemoHint }]);
    expect(steps.slice(-2)).toEqual(['finish', 'finish~2']);
  });
});

describe('the demo evaluator', () => {
  async function scoreOf(
    kept: string | null,
  ): Promise<{ score: number | null; message: string; outcome: string }> {
    const root = join(folder, 'work');
    await mkdir(join(root, 'data/outputs'), { recursive: true });
    if (kept !== null) await writeFile(join(root, 'data/outputs/kept.txt'), kept);
    const spec = { ...demo.spec, protected: [] };
    const order = { spec, ...(await pinned()), files, root, runFolder: folder, protectedHashes: {} };
    return evaluate({
      ...order,
      workspace: folder,
      folders: [],
      attempt: 1,
      forced: false,
      hintSeen: false,
      signal: never,
    });
  }

  it('gives 0 and a reason for garbage', async () => {
    for (const [kept, why] of [
      ['', /missing or empty/],
      [null, /missing or empty/],
      ['p0001\np0001\n', /line 2 repeats/],
      ['hello "world"\n', /line 1 is no id/],
      ['p9999\n', /line 1 is no id/],
    ] as const) {
      await rm(join(folder, 'work'), { recursive: true, force: true });
      const result = await scoreOf(kept);
      expect(result).toMatchObject({ outcome: 'scored', score: 0 });
      expect(result.message).toMatch(why);
    }
  });

  it('gives 100 for the key itself and 0 for the filter as it is handed over', async () => {
    const key = (await readFile(join(demo.folder, 'evaluation/key.tsv'), 'utf8')).split('\n');
    const right = key.filter((line) => line.split('\t')[1] === 'keep').map((line) => line.split('\t')[0]);
    expect((await scoreOf(right.join('\n'))).score).toBe(100);
    await cp(join(demo.folder, 'task'), join(folder, 'work/task'), { recursive: true });
    await cp(join(demo.folder, 'data'), join(folder, 'work/data'), { recursive: true });
    await shell('sh', [join(folder, 'work/task/scripts/filter.sh')]);
    expect(
      (await scoreOf(await readFile(join(folder, 'work/data/outputs/kept.txt'), 'utf8'))).score,
    ).toBeLessThan(1);
  });
});
