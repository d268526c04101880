import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoHint, startDemoModel } from '../demo/demo';

const root = join(import.meta.dirname, '..', '..');
const entry = join(root, 'out', 'main', 'cli.js');
const resourcesDir = join(root, 'resources');
const folder = mkdtempSync(join(tmpdir(), 'waymark-cli-'));
const workspace = join(folder, 'workspace');
let model: Awaited<ReturnType<typeof startDemoModel>>;

interface Answer {
  code: number;
  json: Record<string, unknown> & { error?: { code: string; message: string } };
  lines: string[];
}

/** Runs the built command line as a process of its own. */
function waymark(...args: string[]): Promise<Answer> {
  const env = { ...process.env, WAYMARK_DATA: join(folder, 'data'), WAYMARK_WORKSPACE: workspace };
  return new Promise((resolve) => {
    execFile(process.execPath, [entry, ...args, '--json'], { env, maxBuffer: 64e6 }, (error, stdout) => {
      const lines = stdout.trim().split('\n');
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, json: JSON.parse(lines.at(-1) ?? 'null'), lines });
    });
  });
}

const endpoint = () => ['--base-url', model.baseUrl, '--model', model.model, '--approvals', 'off'];

beforeAll(async () => {
  expect(existsSync(entry), 'the command line is built before tests: npm run build').toBe(true);
  model = await startDemoModel({ resourcesDir, paceMs: 0 });
});
afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the command line drives the whole path', () => {
  let run = '';

  test('adds and lists a task', async () => {
    expect(await waymark('task', 'list')).toMatchObject({ code: 0, json: { tasks: [] } });
    const added = await waymark('task', 'add', join(resourcesDir, 'demo', 'task'));
    expect(added.code).toBe(0);
    const { json } = await waymark('task', 'list');
    expect(json).toEqual({ tasks: [{ id: added.json.id, title: added.json.title }] });
  });

  test('creates a run that rests, takes a hint for it, and drives it to its end', async () => {
    const { json: list } = await waymark('task', 'list');
    const [task] = list.tasks as { id: string }[];
    const created = await waymark('run', 'start', '--task', task?.id ?? '', ...endpoint());
    expect(created.code, JSON.stringify(created.json)).toBe(0);
    run = String(created.json.run);
    const hint = await waymark('run', 'hint', run, demoHint);
    expect(hint.code).toBe(0);
    expect(await waymark('run', 'show', run)).toMatchObject({
      json: { id: run, steps: 0, hints: [{ id: hint.json.hint, state: 'queued', step: null }] },
    });

    const driven = await waymark('run', 'resume', run, '--wait');
    expect(driven).toMatchObject({ code: 0, json: { run } });
    const { json: shown } = await waymark('run', 'show', run);
    expect(shown).toMatchObject({ status: 'finished', hints: [{ state: 'delivered', text: demoHint }] });
    expect(shown.scores).toMatchObject({ tries: 2 });
    expect((shown.scores as { final: number }).final).toBeGreaterThan(70);
    // Six processes one after another, and the demo's agent sleeps for four seconds: 11 s where nothing else runs.
  }, 120_000);

  test('refuses what cannot be, by name', async () => {
    expect(await waymark('run', 'resume', run, '--wait')).toMatchObject({
      code: 1,
      json: { error: { code: 'run_ended' } },
    });
    expect(await waymark('run', 'hint', run, 'too late')).toMatchObject({
      code: 1,
      json: { error: { code: 'run_ended' } },
    });
    expect(await waymark('run', 'show', 'NOTHING')).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found' } },
    });
    expect(await waymark('run', 'start', '--task', 'none', ...endpoint())).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found' } },
    });
    expect(await waymark('fly')).toMatchObject({ code: 1, json: { error: { code: 'bad_input' } } });
    expect(await waymark('verify', '--fly')).toMatchObject({
      code: 1,
      json: { error: { message: `Unknown option '--fly'. Run "waymark --help" for the commands.` } },
    });
    expect(await waymark('label', run, '9999', 'train')).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found' } },
    });
  });

  test.each(['version', '--version'])('%s says what runs here, also where no workspace is', async (word) => {
    expect(await waymark(word)).toMatchObject({
      code: 0,
      json: { version: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node },
    });
  });

  test.runIf(existsSync('/dev/full'))('an answer that could not be printed is a failure', () => {
    const env = { ...process.env, WAYMARK_DATA: join(folder, 'data'), WAYMARK_WORKSPACE: workspace };
    for (const args of [['run', 'list'], ['run', 'list', '--json'], ['verify'], ['--help']]) {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [entry, ...args], {
        env,
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      expect(status, args.join(' ')).toBe(1);
      expect(stderr.toString()).toContain('The output could not be printed');
    }
  });

  test('labels, shows the rules, and exports what slime loads', async () => {
    expect((await waymark('label', run, '1-2', 'train', '--annotator', 'Ada')).code).toBe(0);
    const { json: rules } = await waymark('rules', run);
    const named = (rules.verdicts as { rule: string }[]).map(({ rule }) => rule);
    expect(named).toContain('command-failed');
    expect(named).toContain('blind-edit');

    const out = join(folder, 'dataset');
    const refused = await waymark('export', '--format', 'slime', '--out', out, '--run', run);
    expect(refused).toMatchObject({ code: 1, json: { error: { code: 'export_undecided' } } });
    expect(existsSync(out)).toBe(false);
    const exported = await waymark(
      'export',
      '--format',
      'slime',
      '--out',
      out,
      '--run',
      run,
      '--undecided',
      'mask',
    );
    expect(exported).toMatchObject({ code: 0, json: { rows: 1, trained: 2 } });
    const [row] = readFileSync(join(out, 'train.jsonl'), 'utf8').trim().split('\n');
    const { messages } = JSON.parse(row ?? '') as { messages: { role: string; step_loss_mask?: number }[] };
    const masks = messages
      .filter(({ role }) => role === 'assistant')
      .map((message) => message.step_loss_mask);
    expect(masks.filter((mask) => mask === 1)).toHaveLength(2);
    expect(masks.every((mask) => mask === 0 || mask === 1)).toBe(true);

    const again = join(folder, 'again');
    const repeated = await waymark(
      'export',
      '--format',
      'slime',
      '--out',
      again,
      '--run',
      run,
      '--undecided',
      'mask',
    );
    expect(repeated.json.files).toEqual(exported.json.files);
  });

  test('verifies, purges under a tombstone, removes and cleans', async () => {
    expect(await waymark('verify')).toMatchObject({
      code: 0,
      json: { ok: true, runs: [{ id: run, problems: [] }] },
    });
    expect(await waymark('verify', '--logs')).toMatchObject({ code: 0, json: { ok: true } });
    expect(await waymark('rebuild', run, '--search')).toMatchObject({
      code: 0,
      json: { runs: [{ run, changed: 0 }], search: true },
    });
    const agentFiles = join(workspace, 'runs', run);
    const terminals = join(workspace, 'spools', run);
    expect([existsSync(agentFiles), existsSync(terminals)]).toEqual([true, true]);
    expect((await waymark('run', 'purge', run)).code).toBe(0);
    expect([existsSync(agentFiles), existsSync(terminals)]).toEqual([true, false]);
    expect(await waymark('verify')).toMatchObject({ code: 0, json: { ok: true } });
    expect((await waymark('run', 'remove', run)).code).toBe(0);
    expect(existsSync(agentFiles)).toBe(false);
    expect(await waymark('run', 'list')).toMatchObject({ json: { runs: [] } });
    expect(await waymark('verify')).toMatchObject({ code: 0, json: { ok: true } });
    expect(await waymark('clean')).toMatchObject({ code: 0 });
  });
});
