import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineStand, type EngineStandOptions } from '../../testing/engine-stand';
import { call, commandOn, finish, steps } from '../../testing/scripted-answers';
import { smallTaskYaml } from '../../testing/task-package';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
/** The small task with other computers, and more at its end. */
const task = (computers: string, more = '') => ({
  'task.yaml': smallTaskYaml.replace(localPool, computers) + more,
});
const box = (name: string, setup = '') => `  - name: ${name}\n    host: ${name}\n    type: cpu\n${setup}`;

async function stand(options: EngineStandOptions): Promise<EngineStand> {
  const made = await EngineStand.open(options);
  open.push(made);
  return made;
}

/** Nothing of a link's troubles may reach the model. */
async function expectNoLinkTalk(made: EngineStand, id: string): Promise<void> {
  for (const { text } of await made.of(id, 'action.observed')) {
    expect(text).not.toMatch(/connection|link\b|reach|unavailable|application stopped/i);
  }
}

describe('a run on one host', () => {
  it('prepares the workspace there, works, evaluates from there, and leaves the host as it was', async () => {
    const setup = `    setup:
      copy: [{ from: extra/tool.sh, to: bin/tool.sh }]
      link: [{ from: /etc/hostname, to: data/name }]
      environment: ['echo "$COLOUR" > colour.txt; echo prepared $COLOUR']
      variables: { COLOUR: green }
`;
    const made = await stand({
      policy: steps(
        { calls: [commandOn('worker', 'cat task/run.sh colour.txt bin/tool.sh; ls -1 data; echo $COLOUR')] },
        { calls: [commandOn('worker', 'printf "1\\n2\\n3\\n4\\n" > data/outputs/answer.txt')] },
        { calls: [call('eval')] },
        finish,
      ),
      files: {
        ...task(box('worker', setup)),
        'extra/tool.sh': 'tool\n',
        'data/big.bin': 'x'.repeat(9 * 1024 * 1024 + 17),
      },
      aliases: ['gpu-03'],
    });
    const id = await made.start({ worker: 'gpu-03' });
    const [created] = await made.of(id, 'run.created');
    const root = join(made.agents.home('gpu-03'), 'waymark/runs', id);
    expect(created).toMatchObject({
      computers: [{ name: 'worker', kind: 'ssh', host: 'gpu-03', transport: 'ssh2', approvals: 'off' }],
      workspaceRoot: root,
      evaluatorIsolated: true,
    });
    await made.drive(id);
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished', scores: { best: 40 } });
    expect((await made.of(id, 'setup.done')).map(({ computer, title }) => [computer, title])).toEqual([
      ['worker', 'Copy task to task'],
      ['worker', 'Copy data to data'],
      ['worker', 'Make data/outputs'],
      ['worker', 'Copy extra/tool.sh to bin/tool.sh'],
      ['worker', 'Link data/name to /etc/hostname'],
      ['worker', 'Run echo "$COLOUR" > colour.txt; echo prepared $COLOUR'],
    ]);
    expect((await made.of(id, 'run.status')).map(({ message }) => message)).toContain(
      'Preparing worker: Copy data to data (2 of 6).',
    );
    expect(await made.printed(id, 'setup')).toContain('prepared green');
    const [looked] = await made.of(id, 'action.observed');
    expect(looked?.text).toContain('echo hello\ngreen\ntool\n');
    expect(looked?.text).toContain('big.bin\ndatasets\nname\noutputs\ngreen\n');
    expect((await stat(join(root, 'data/big.bin'))).size).toBe(9 * 1024 * 1024 + 17);
    expect(made.model.requests[0]?.raw).toContain('computer_ip `worker`: cpu, no GPU, no internet');
    expect(made.model.requests[0]?.raw).toContain(root);
    await expectNoLinkTalk(made, id);
    // The set-up session and the agent's own were at their prompt when it ended.
    expect((await made.of(id, 'session.ended')).map(({ session }) => session)).toEqual(['setup', 'main']);
    const verified = await made.store.reader.verify([id]);
    expect(verified.runs.flatMap(({ problems }) => problems)).toEqual([]);
    expect(made.errors).toEqual([]);
  }, 120_000);

  it('is refused with the reason when the host cannot be reached or lacks what is asked for', async () => {
    const gpus = '  - name: worker\n    host: gpu-03\n    type: gpu\n    gpus: { count: 2, memory_gb: 80 }\n';
    const made = await stand({ policy: steps(finish), files: task(gpus), aliases: ['gpu-03'] });
    await expect(made.start()).rejects.toMatchObject({
      code: 'task_unsupported',
      message: expect.stringMatching(/host gpu-03, chosen as worker, shows no GPUs .* 2 of 80 GB/),
    });
    await expect(made.start({ helper: 'gpu-03' })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('worker'),
    });
    await expect(made.start({ worker: 'gpu-04' })).rejects.toMatchObject({
      code: 'computer_unavailable',
      message: expect.stringContaining('gpu-04'),
    });
    expect(await made.store.reader.runs()).toEqual([]);
  }, 60_000);

  it('goes on copying a large file where a cut stopped it', async () => {
    const bytes = randomBytes(60 * 1024 * 1024 + 123);
    const made = await stand({ policy: steps(finish), files: task(box('worker')), aliases: ['worker'] });
    const folder = (await made.store.reader.task('small')).folder;
    const big = 'data/big.bin';
    await writeFile(join(made.folder, 'workspace', folder, big), bytes);
    const id = await made.start();
    const [created] = await made.of(id, 'run.created');
    const root = created?.workspaceRoot ?? '';
    await made.engine.resumeRun(id);
    await made.untilThere(join(root, '.waymark-data.partial/big.bin.waymark-partial'));
    made.agents.cut('worker');
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    made.agents.restore('worker');
    await made.engine.waitRun(id);
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished' });
    expect((await readFile(join(root, big))).equals(bytes)).toBe(true);
    expect((await readdir(join(root, 'data'))).sort()).toEqual(['big.bin', 'datasets', 'outputs']);
    expect((await readdir(root)).sort()).toEqual(['data', 'task']);
  }, 120_000);

  it('goes on with its set-up where a cut stopped it; the command runs once', async () => {
    const line = 'echo began >> count; while [ ! -e go ]; do sleep 0.05; done; echo ended >> count';
    const setup = `    setup:\n      environment: ['${line}', 'echo second']\n`;
    const made = await stand({
      policy: steps(finish),
      files: task(box('worker', setup)),
      aliases: ['worker'],
    });
    const id = await made.start();
    const [created] = await made.of(id, 'run.created');
    const at = (name: string) => join(created?.workspaceRoot ?? '', name);
    await made.engine.resumeRun(id);
    await made.until(id, 'run.status', ({ message }) => message.includes('Run echo began'));
    await made.until(id, 'session.opened', ({ session }) => session === 'setup');
    await made.untilThere(at('count'));
    made.agents.cut('worker');
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    // The application ends as well: what runs on the host does not care.
    await made.engine.shutdown({ mode: 'now' });
    await made.touchThere(at('go'));
    made.agents.restore('worker');
    made.next();
    await made.drive(id);
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished' });
    expect(await readFile(at('count'), 'utf8')).toBe('began\nended\n');
    expect((await made.of(id, 'setup.done')).map(({ title }) => title).slice(-2)).toEqual([
      `Run ${line}`,
      'Run echo second',
    ]);
    expect(await made.printed(id, 'setup')).toContain('second');
  }, 120_000);
});
