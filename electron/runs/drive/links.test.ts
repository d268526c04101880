import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../../model/scripted-answer';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { EngineStand } from '../../testing/engine-stand';
import { call, commandOn, finish, steps } from '../../testing/scripted-answers';
import { smallTaskYaml } from '../../testing/task-package';

const open: EngineStand[] = [];
afterEach(async () => {
  for (const stand of open.splice(0)) await stand.close();
}, 60_000);

const localPool = '  - name: local\n    host: local\n    type: localhost_cpu\n';
const box = '  - name: box\n    host: box\n    type: cpu\n';
const pool = (computers: string, more = '') => ({
  'task.yaml': smallTaskYaml.replace(localPool, computers) + more,
});

/** A run on the host `box` that is being driven; `root` is its workspace. */
async function driven(
  policy: ScriptedPolicy,
  files = pool(box),
  beforehand: (root: string) => void = () => undefined,
) {
  const made = await EngineStand.open({ policy, files, aliases: ['box'] });
  open.push(made);
  const id = await made.start();
  const [created] = await made.of(id, 'run.created');
  const root = created?.workspaceRoot ?? '';
  beforehand(root);
  await made.engine.resumeRun(id);
  return { made, id, root };
}

/** What the model saw must read as if nothing had happened to the link. */
async function observed(made: EngineStand, id: string) {
  const all = await made.of(id, 'action.observed');
  for (const { text } of all) {
    expect(text).not.toMatch(/connection|link\b|reach|unavailable|application stopped/i);
  }
  expect(all.map(({ closedBy }) => closedBy)).toEqual(all.map(() => 'run'));
  return all;
}

describe('a link that breaks in the middle of a run', () => {
  it('makes the run wait, say so, and go on with the same command as soon as it is back', async () => {
    const command =
      'echo began | tee -a count; while [ ! -e go ]; do sleep 0.02; done; echo ended | tee -a count';
    const { made, id, root } = await driven(
      steps({ calls: [commandOn('box', command)] }, { calls: [commandOn('box', 'echo next')] }, finish),
    );
    await made.untilThere(join(root, 'count'));
    made.agents.cut('box');
    const waiting = await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    expect(waiting.message).toContain('box');
    await writeFile(join(root, 'go'), '');
    made.agents.restore('box');
    await made.engine.waitRun(id);
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished', steps: 3 });
    expect(await readFile(join(root, 'count'), 'utf8')).toBe('began\nended\n');
    const [first, next] = await observed(made, id);
    expect(first).toMatchObject({ ok: true, data: { exitCode: 0 } });
    expect(first?.text).toMatch(/^Exit code 0 after .*\nbegan\nended\n/);
    expect(next?.text).toContain('\nnext\n');
    const words = (await made.of(id, 'run.status')).map(({ status, message }) => `${status} ${message}`);
    expect(words.at(-2)).toBe('running The computer is back.');
    // Every byte of the session is here, each once.
    const printed = await made.printed(id, 'main');
    expect(printed.match(/began\r\n/g)).toHaveLength(1);
    expect(printed.match(/ended\r\n/g)).toHaveLength(1);
    const [ran] = await made.of(id, 'command.ran');
    expect(ran?.session, 'a command that went on meanwhile is working time').toBe('main');
    expect(made.errors).toEqual([]);
  }, 60_000);

  /** Drives a run whose second step loses the answer to `op`; `reached` says when the host has done it. */
  async function losing(
    op: string,
    second: (root: string) => NonNullable<ScriptedAnswer['calls']>,
    reached: (root: string) => string,
  ) {
    const slow = { calls: [call('think', { thought: 'x' })], pieceMs: 200 };
    let root = '';
    const policy: ScriptedPolicy = ({ answers }) => [slow, { calls: second(root) }][answers] ?? finish;
    const { made, id } = await driven(policy, pool(box), (at) => {
      root = at;
    });
    await made.until(id, 'run.status', ({ message }) => message === 'Driven.');
    made.agents.loseAnswersFrom('box', op);
    await made.untilThere(reached(root));
    made.agents.cut('box');
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    made.agents.restore('box');
    await made.engine.waitRun(id);
    expect(await made.store.reader.run(id)).toMatchObject({ state: 'finished' });
    return { made, id, root, all: await observed(made, id) };
  }

  it('runs a command once whose acknowledgement was lost', async () => {
    const command = 'echo once >> count; cat count';
    const { root, all } = await losing(
      'command',
      () => [commandOn('box', command)],
      (at) => join(at, 'count'),
    );
    expect(await readFile(join(root, 'count'), 'utf8')).toBe('once\n');
    expect(all[1]?.text).toMatch(/^Exit code 0 after .*\nonce\n/);
    expect(all[1]).toMatchObject({ ok: true, data: { commandSeq: 1 } });
  }, 60_000);

  it('opens a session once whose acknowledgement was lost', async () => {
    const calls = [call('create_session', { computer_ip: 'box', session_id: 'one' })];
    const { made, id, all } = await losing(
      'start',
      () => calls,
      (at) => join(at, '../../../.local/state/waymark/sessions'),
    );
    expect(all[1]?.text).toMatch(/^Session one is open on box, in /);
    expect((await made.of(id, 'session.opened')).map(({ session }) => session)).toEqual(['one']);
  }, 60_000);

  it('writes a file once whose acknowledgement was lost, and says what it would have said', async () => {
    const calls = (at: string) => [call('create_file', { filename: `${at}/made.txt`, content: 'a\nb\n' })];
    const { made, id, all } = await losing('f.write', calls, (at) => join(at, 'made.txt'));
    expect(all[1]?.text).toMatch(/^Created .*made\.txt \(2 lines, 4 bytes\)\.$/);
    expect((await made.of(id, 'file.changed')).map(({ by, before, text }) => [by, before, text])).toEqual([
      ['action', null, 'a\nb\n'],
    ]);
  }, 60_000);

  it('types a line once whose acknowledgement was lost', async () => {
    const calls = [
      commandOn('box', 'read a; echo "[$a]" >> count; read b', false),
      call('input_in_session', { computer_ip: 'box', session_id: 'main', input_text: 'hello' }),
      commandOn('box', 'cat count', true, 'other'),
    ];
    const { root, all } = await losing(
      'input',
      () => calls,
      (at) => join(at, 'count'),
    );
    expect(await readFile(join(root, 'count'), 'utf8')).toBe('[hello]\n');
    expect(all[2]).toMatchObject({ ok: true });
    expect(all[2]?.text).toMatch(/^Typed into session main, which is now waiting for input/);
  }, 60_000);
});

describe('a host that was away for too long', () => {
  it('drops the oldest output, which is named exactly; the rest is here and the agent is told', async () => {
    const flood =
      'while [ ! -e go ]; do sleep 0.02; done; yes 0123456789 | head -c 6000000; echo; echo last words; touch done';
    const limits = { keptBytes: 64 * 1024, unfetchedBytes: 1024 * 1024 };
    const policy = steps(
      { calls: [commandOn('box', flood, false, 'loud')] },
      { calls: [commandOn('box', 'while [ ! -e done ]; do sleep 0.02; done; echo over')] },
      {
        calls: [
          call('get_session_output', { computer_ip: 'box', session_id: 'loud', start_lines: 1_000_000 }),
        ],
      },
      finish,
    );
    const made = await EngineStand.open({ policy, files: pool(box), aliases: ['box'], limits });
    open.push(made);
    const id = await made.start();
    const [created] = await made.of(id, 'run.created');
    const root = created?.workspaceRoot ?? '';
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started', ({ step }) => step === 2);
    made.agents.cut('box');
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    await writeFile(join(root, 'go'), '');
    await made.untilThere(join(root, 'done'));
    made.agents.restore('box');
    await made.engine.waitRun(id);
    const [gap, ...more] = await made.of(id, 'session.gap');
    expect(more).toEqual([]);
    expect(gap).toMatchObject({ computer: 'box', session: 'loud', reason: 'limit' });
    const loud = (await made.store.reader.sessions(id)).find(({ session }) => session === 'loud');
    expect(loud?.gaps).toEqual([{ from: gap?.from, to: gap?.to }]);
    const after = await made.store.reader.readSession(id, loud?.uid ?? '', gap?.to ?? 0, 4_000_000);
    expect(Buffer.from(after.bytes).toString()).toMatch(/last words\r\n/);
    expect(after.endOffset).toBe(loud?.endOffset);
    const all = await observed(made, id);
    expect(all.at(-2)?.text).toContain('last words');
    const notes = (await made.store.reader.heads(id, 1, 4)).flatMap((head) => head.after);
    expect(notes).toContainEqual(expect.objectContaining({ kind: 'gap', session: 'loud', from: gap?.from }));
    const verified = await made.store.reader.verify([id]);
    expect(verified.runs.flatMap(({ problems }) => problems)).toEqual([]);
  }, 60_000);
});

describe('a session that is closed', () => {
  it('has all it printed in the log, however quickly it is closed', async () => {
    const flood = 'yes 0123456789 | head -c 12000000; echo; echo last words';
    const { made, id } = await driven(
      steps(
        {
          calls: [
            commandOn('box', flood, true, 'loud'),
            call('close_session', { computer_ip: 'box', session_id: 'loud' }),
          ],
        },
        finish,
      ),
    );
    await made.engine.waitRun(id);
    const [ended] = await made.of(id, 'session.ended');
    const [seen] = await made.store.reader.sessions(id);
    expect(seen?.endOffset).toBe(ended?.endOffset);
    expect(ended?.endOffset).toBeGreaterThan(12_000_000);
    expect(made.errors).toEqual([]);
  }, 60_000);
});

describe('a computer that is away', () => {
  const two = `  - name: local\n    host: local\n    type: localhost_cpu\n${box}`;

  it('holds up only what needs it', async () => {
    const policy = steps(
      { calls: [commandOn('box', 'sleep 600', false)] },
      { calls: [commandOn('local', 'while [ ! -e go ]; do sleep 0.02; done; echo here')] },
      { calls: [call('sleep', { sleep_time: 0.01 }), call('list_files', {})] },
      { calls: [call('list_sessions', { computer_ip: 'local' })] },
      { calls: [commandOn('box', 'echo there', true, 'second')] },
      finish,
    );
    const files = pool(two, 'workspace: { unshared: name_computer }\n');
    const made = await EngineStand.open({ policy, files, aliases: ['box'], apart: ['box'] });
    open.push(made);
    const id = await made.start();
    const [created] = await made.of(id, 'run.created');
    await made.engine.resumeRun(id);
    await made.until(id, 'action.started', ({ step }) => step === 2);
    const offset = (await made.of(id, 'action.observed'))[0]?.offsets['box:main'];
    expect(offset).toBeGreaterThan(0);
    made.agents.cut('box');
    await writeFile(join(created?.workspaceRoot ?? '', 'go'), '');
    // Steps 2 to 4 have nothing to do with the host; the fifth waits for it.
    await made.until(id, 'run.status', ({ reason }) => reason === 'computer_unavailable');
    const meanwhile = await made.of(id, 'action.observed');
    expect(meanwhile.map(({ step, ok }) => [step, ok])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [3, true],
      [4, true],
    ]);
    expect(meanwhile.at(-1)?.offsets['box:main']).toBe(offset);
    expect(meanwhile[3]?.text).toMatch(/ on local: /);
    made.agents.restore('box');
    await made.engine.waitRun(id);
    const all = await observed(made, id);
    expect(all.find(({ step }) => step === 5)?.text).toContain('\nthere\n');
  }, 60_000);

  it('that lost its sessions says so with the next observation', async () => {
    const { made, id, root } = await driven(
      steps(
        { calls: [commandOn('box', 'echo $PPID > holder; echo up', true, 'train')] },
        { calls: [call('think', { thought: 'x' })], pieceMs: 300 },
        { calls: [commandOn('box', 'echo after', true, 'other')] },
        finish,
      ),
    );
    await made.until(id, 'action.observed', ({ name }) => name === 'think');
    // What a restart of the host leaves behind: the shell and its supervisor are gone without a word.
    const holder = Number(await readFile(join(root, 'holder'), 'utf8'));
    process.kill(holder, 'SIGKILL');
    await made.engine.waitRun(id);
    const all = await made.of(id, 'action.observed');
    expect(all[2]?.text).toContain('[Notice] The session train on box was lost');
    const ended = (await made.of(id, 'session.ended')).find(({ session }) => session === 'train');
    expect(ended).toMatchObject({ lost: true, exitCode: null });
    const seen = await made.store.reader.sessions(id);
    expect(seen.find(({ session }) => session === 'train')).toMatchObject({ state: 'lost' });
  }, 60_000);
});
