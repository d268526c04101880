import { access, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EngineStand, type EngineStandOptions } from '../../testing/engine-stand';
import { call, finish, steps } from '../../testing/scripted-answers';
import { smallTaskYaml } from '../../testing/task-package';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const run = (computer: string, command: string) =>
  call('run_command', { computer_ip: computer, session_id: 'main', command, wait_for_completion: true });

const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
const box = (name: string, more = '') => `  - name: ${name}\n    host: ${name}\n    type: cpu\n${more}`;
const pool = (computers: string, more = '') => ({
  'task.yaml': smallTaskYaml.replace(localPool, computers) + more,
});

async function stand(options: EngineStandOptions): Promise<EngineStand> {
  const made = await EngineStand.open(options);
  open.push(made);
  return made;
}

describe('several computers in one run', () => {
  it('are proven to share the workspace, and the agent is told', async () => {
    const made = await stand({
      policy: steps(
        { calls: [run('big', 'echo from big > data/outputs/answer.txt')] },
        { calls: [run('small', 'cat data/outputs/answer.txt; pwd')] },
        finish,
      ),
      files: pool(box('big') + box('small', '    internet: true\n')),
      aliases: ['gpu-03', 'cpu-01'],
    });
    const id = await made.start({ big: 'gpu-03', small: 'cpu-01' });
    const root = join(made.agents.home('gpu-03'), 'waymark/runs', id);
    expect(await made.of(id, 'workspace.probed')).toEqual([
      { root, shared: true, computers: [{ name: 'small', sees: true, message: `sees ${root} of big` }] },
    ]);
    await made.drive(id);
    const [, second] = await made.of(id, 'action.observed');
    expect(second?.text).toContain(`from big\n${root}\n`);
    const prompt = made.model.requests[0]?.raw ?? '';
    expect(prompt).toContain('computer_ip `big`: cpu, no GPU, no internet; holds the workspace');
    expect(prompt).toContain('computer_ip `small`: cpu, no GPU, internet');
    expect(prompt).toContain('All of them share the workspace, at the same path.');
    expect((await made.of(id, 'setup.done')).every(({ computer }) => computer === 'big')).toBe(true);
    await expect(access(join(made.agents.home('cpu-01'), 'waymark'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  }, 60_000);

  it('that do not share it are refused, and nothing is left behind', async () => {
    const made = await stand({
      policy: steps(finish),
      files: pool(localPool + box('box')),
      aliases: ['box'],
      apart: ['box'],
    });
    await expect(made.start()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(
        /do not share the workspace .* of local: box has no folder .*workspace\.unshared/,
      ),
    });
    expect(await made.store.reader.runs()).toEqual([]);
  }, 60_000);

  it('work on their own where the task allows it: own folders, own copies, named in observations', async () => {
    const made = await stand({
      policy: steps(
        { calls: [call('create_file', { filename: '{file}', content: 'x\n' })] },
        { calls: [run('box', 'cat task/run.sh mine.txt; pwd'), run('local', 'ls')] },
        finish,
      ),
      files: pool(
        localPool + box('box', "    setup: { environment: ['echo own > mine.txt'] }\n"),
        'workspace: { unshared: name_computer }\n',
      ),
      aliases: ['box'],
      apart: ['box'],
    });
    const id = await made.start();
    const own = join(made.agents.home('box'), 'waymark/runs', id);
    const [probed] = await made.of(id, 'workspace.probed');
    expect(probed).toMatchObject({ shared: false, computers: [{ name: 'box', sees: false, root: own }] });
    await made.drive(id);
    const all = await made.of(id, 'action.observed');
    expect(all[1]?.text).toContain(`echo hello\nown\n${own}\n`);
    expect(all[2]?.text).not.toContain('mine.txt');
    const prompt = made.model.requests[0]?.raw ?? '';
    expect(prompt).toContain('`box` does not share it');
    expect(prompt).toContain(own);
    expect((await made.of(id, 'setup.done')).map(({ computer, title }) => `${computer}: ${title}`)).toEqual([
      'local: Copy task to task',
      'local: Copy data to data',
      'local: Make data/outputs',
      'box: Copy task to task',
      'box: Copy data to data',
      'box: Make data/outputs',
      'box: Run echo own > mine.txt',
    ]);
  }, 60_000);

  it('teach who names a computer that is not there, or one that only evaluates', async () => {
    const made = await stand({
      policy: steps(
        { calls: [run('gpu-3', 'true'), run('judge', 'true'), run('localhost', 'true')] },
        finish,
      ),
      files: pool(box('box') + box('judge', '    evaluator: true\n')),
      aliases: ['box', 'judge'],
    });
    const id = await made.start();
    await made.drive(id);
    const texts = (await made.of(id, 'action.observed')).map(({ text }) => text);
    expect(texts[0]).toBe('There is no computer "gpu-3". The computers are: box.');
    expect(texts[1]).toMatch(
      /^"judge" is only for evaluation: commands cannot run there\. .* The computers are: box\.$/,
    );
    // What the paper's tools mean by it where nothing runs on this machine: the computer with the workspace.
    expect(texts[2]).toMatch(/^Exit code 0 after .* on box\./);
    const prompt = made.model.requests[0]?.raw ?? '';
    expect(prompt).not.toContain('judge');
  }, 60_000);

  it('refuse one host for two of them, a folder that is in use, and names the task does not have', async () => {
    const two = await stand({
      policy: steps(finish),
      files: pool(box('one') + box('two'), 'workspace: { root: /etc }\n'),
      aliases: ['a', 'b'],
    });
    await expect(two.start({ one: 'a', two: 'a' })).rejects.toMatchObject({ code: 'task_unsupported' });
    await expect(two.start({ one: 'a', two: 'b' })).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/folder \/etc on a.*is not empty/),
    });
    await expect(two.start({ one: 'local', two: 'b' })).rejects.toMatchObject({
      code: 'task_unsupported',
      message: expect.stringContaining('workspace.root'),
    });
    await expect(two.start({ one: '-oProxyCommand=x', two: 'b' })).rejects.toMatchObject({
      code: 'bad_input',
    });
  }, 60_000);
});

describe('a computer set aside for evaluating', () => {
  it('scores what the agent made elsewhere; its keys and copies do not stay, and no action sees it', async () => {
    const made = await stand({
      policy: steps(
        { calls: [run('box', 'printf "1\\n2\\n" > data/outputs/answer.txt')] },
        { calls: [call('eval')] },
        { calls: [call('list_sessions')] },
        finish,
      ),
      files: {
        ...pool(box('box') + box('judge', '    evaluator: true\n')),
        'evaluation/evaluate.sh': `set -eu
echo "$HOME" >&2
printf '{"score": %d, "message": "on %s"}' "$(wc -l < data/outputs/answer.txt)" "$(cat "$WAYMARK_EVALUATOR/key")" > "$WAYMARK_RESULT"
`,
        'evaluation/key': 'the key',
      },
      aliases: ['box', 'judge'],
    });
    const id = await made.start();
    await made.drive(id);
    const [first, final] = await made.of(id, 'evaluation.ended');
    expect(first).toMatchObject({ outcome: 'scored', attempt: 1, score: 20, message: 'on the key' });
    expect(final).toMatchObject({ outcome: 'scored', forced: true, score: 20 });
    const log = await readFile(
      join(made.folder, 'workspace/runs', id, 'evaluations/001/evaluator.log'),
      'utf8',
    );
    expect(log).toContain(join(made.agents.home('judge'), 'waymark/evaluations', id, '001/home'));
    const left = join(made.agents.home('judge'), 'waymark/evaluations', id, '001');
    await expect(access(left)).rejects.toMatchObject({ code: 'ENOENT' });
    const sessions = (await made.of(id, 'session.opened')).map(({ computer, session }) => [
      computer,
      session,
    ]);
    expect(sessions).toEqual([['box', 'main']]);
    expect((await made.of(id, 'action.observed'))[2]?.text).not.toContain('judge');
    expect((await made.of(id, 'run.created'))[0]?.evaluatorIsolated).toBe(true);
  }, 60_000);

  const judged = (script: string, run: string) => {
    const packed = pool(box('box') + box('judge', '    evaluator: true\n'))['task.yaml'];
    return {
      'task.yaml': packed
        .replace('  inputs:', `  run: ${run}\n  inputs:`)
        .replace('  needs:', '  max_written: 16777216\n  needs:'),
      'evaluation/evaluate.sh': script,
    };
  };

  it('runs what the agent wrote before the evaluator is there, and ends what that left', async () => {
    const forge = `for i in $(seq 300); do echo '{"score": 8}' > ../result.json; ls .. >> ../seen; sleep 0.02; done`;
    const made = await stand({
      policy: steps(
        {
          calls: [
            run(
              'box',
              `echo "${forge.replaceAll('$', '\\$').replaceAll('"', '\\"')}" > data/outputs/forge.sh`,
            ),
          ],
        },
        { calls: [call('eval')] },
        finish,
      ),
      files: judged(
        'sleep 0.3; printf \'{"score": %d}\' "$(wc -l < data/outputs/answer.txt)" > "$WAYMARK_RESULT"; [ ! -e ../seen ] || cat ../seen >&2',
        'seq 2 > data/outputs/answer.txt; setsid -f sh data/outputs/forge.sh > /dev/null 2>&1',
      ),
      aliases: ['box', 'judge'],
    });
    const id = await made.start();
    await made.drive(id);
    const [first] = await made.of(id, 'evaluation.ended');
    // Whatever it managed to forge before it was ended is refused, and never taken for a score.
    if (!/before the evaluator was started/.test(first?.message ?? ''))
      expect(first).toMatchObject({ score: 20 });
    expect(first?.raw).not.toBe(8);
    const folder = join(made.folder, 'workspace/runs', id, 'evaluations/001');
    expect(await readFile(join(folder, 'run.log'), 'utf8')).toBe('');
    expect(await readFile(join(folder, 'evaluator.log'), 'utf8')).not.toMatch(/^evaluator$/m);
    const left = join(made.agents.home('judge'), 'waymark/evaluations', id);
    expect(await readdir(left)).toEqual([]);
  }, 60_000);

  it('stops what writes too much there', async () => {
    const made = await stand({
      policy: steps({ calls: [call('eval')] }, finish),
      files: judged(
        'echo \'{"score": 8}\'',
        'for i in $(seq 1000); do head -c 1000000 /dev/zero > $i || exit 1; done; sleep 60',
      ),
      aliases: ['box', 'judge'],
    });
    const id = await made.start();
    await made.drive(id);
    const [first] = await made.of(id, 'evaluation.ended');
    expect(first).toMatchObject({ outcome: 'unavailable', attempt: null });
    expect(first?.message).toMatch(/it wrote more than 16 MB.*evaluation\.max_written/);
    const left = join(made.agents.home('judge'), 'waymark/evaluations', id);
    expect(await readdir(left)).toEqual([]);
  }, 60_000);

  it('is waited for when its link breaks while it evaluates; the evaluator runs once', async () => {
    const made = await stand({
      policy: steps({ calls: [call('eval')] }, finish),
      files: {
        ...pool(box('box') + box('judge', '    evaluator: true\n')),
        'evaluation/evaluate.sh': `echo x >> "$HOME/../../../count"
while [ ! -e "$HOME/../../../go" ]; do sleep 0.05; done
echo '{"score": 8}'
`,
      },
      aliases: ['box', 'judge'],
    });
    const id = await made.start();
    const at = join(made.agents.home('judge'), 'waymark/evaluations');
    await made.engine.resumeRun(id);
    await made.untilThere(join(at, 'count'));
    made.agents.cut('judge');
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    await made.touchThere(join(at, 'go'));
    made.agents.restore('judge');
    await made.engine.waitRun(id);
    const [first] = await made.of(id, 'evaluation.ended');
    expect(first).toMatchObject({ outcome: 'scored', attempt: 1, score: 80 });
    // Once for the try and once for the end of the run.
    expect(await readFile(join(at, 'count'), 'utf8')).toBe('x\nx\n');
    const words = (await made.of(id, 'run.status')).map(({ message }) => message);
    expect(words).toContain('The computer is back.');
  }, 60_000);
});
