import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beginningWith } from '../../computer/sessions/environment';
import { factDeadlineMs } from '../deadline';
import {
  type Bench,
  openSession,
  readRange,
  runToEnd,
  untilState,
  untilText,
  utf8,
  wholeText,
} from './session-driver';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Running commands: bytes, codes, long and odd texts, environment. */
export function commandCases(bench: () => Bench): void {
  it('runs a command and tells its output, exit code and host times exactly', async () => {
    const { computer, workdir } = bench();
    await openSession(bench());
    const before = Date.now();
    const result = await runToEnd(computer, 'pwd; echo done');
    expect(result.text).toBe(`${workdir}\ndone\n`);
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.startedAt).toBeGreaterThan(before - 5000);
    expect(result.endedAt ?? 0).toBeGreaterThanOrEqual(result.startedAt ?? Number.POSITIVE_INFINITY);
    expect(await computer.sessions.commands('s')).toMatchObject([{ commandSeq: 1, exitCode: 0 }]);
  });

  it('keeps the log from the first byte and shows each command once', async () => {
    const { computer } = bench();
    await openSession(bench());
    await runToEnd(computer, 'echo one');
    await untilState(computer, 'idle');
    const text = await wholeText(computer);
    expect(text.match(/echo one/g)).toHaveLength(1);
    expect(text).toMatch(/[$#] echo one\none\n/);
    expect(text).not.toContain('7717');
    expect((await computer.sessions.read('s', 0, 4)).bytes).toHaveLength(4);
  });

  it.each([0, 1, 42])('tells exit code %i', async (code) => {
    await openSession(bench());
    expect(await runToEnd(bench().computer, `bash -c 'exit ${code}'`)).toMatchObject({ exitCode: code });
  });

  it('tells death by a signal as 128 + signal', async () => {
    const { computer } = bench();
    await openSession(bench());
    expect(await runToEnd(computer, "bash -c 'kill -9 $$'")).toMatchObject({ exitCode: 137 });
    expect(await runToEnd(computer, "bash -c 'kill -SEGV $$'")).toMatchObject({ exitCode: 139 });
    expect(await runToEnd(computer, 'false')).toMatchObject({ exitCode: 1 });
    expect((await runToEnd(computer, 'echo "before: $?"')).text).toBe('before: 1\n');
  });

  it('carries a megabyte of random bytes, every value among them, unchanged', async () => {
    const { computer, workdir } = bench();
    const bytes = Buffer.concat([Uint8Array.from({ length: 256 }, (_, i) => i), randomBytes(1024 * 1024)]);
    await computer.files.write(join(workdir, 'random'), bytes);
    await openSession(bench());
    const { output } = await runToEnd(computer, 'stty -opost; cat random; stty opost');
    expect(output.length).toBe(bytes.length);
    expect(sha256(output)).toBe(sha256(bytes));
  });

  it('carries CJK, emoji and a very long line unchanged', async () => {
    const { computer } = bench();
    await openSession(bench());
    expect((await runToEnd(computer, "echo '中文 日本語 😀'")).text).toBe('中文 日本語 😀\n');
    const { output } = await runToEnd(computer, "head -c 3000000 /dev/zero | tr '\\0' x; echo");
    expect(output.length).toBe(3_000_002);
  });

  it('takes commands of any shape', async () => {
    const { computer, workdir } = bench();
    await openSession(bench());
    const script = 'for i in 1 2; do\n  echo "line $i"\ndone\ncat <<EOF\na\tb !x `echo c`\nEOF\n# 注释\n';
    expect((await runToEnd(computer, script)).text).toBe('line 1\nline 2\na\tb !x c\n');
    const broken = await runToEnd(computer, 'echo "unfinished');
    expect(broken.exitCode).not.toBe(0);
    expect(broken.text).toContain('unexpected EOF');
    await untilState(computer, 'idle');
    // Longer than any line a terminal takes.
    const long = `cat > long <<'EOF'\n${'0123456789'.repeat(20_000)}\nEOF`;
    expect((await runToEnd(computer, long)).exitCode).toBe(0);
    expect((await computer.files.stat(join(workdir, 'long')))?.size).toBe(200_001);
    expect((await runToEnd(computer, "printf '\\033]0;x\\007ok\\n'")).text).toBe('ok\n');
    await expect(computer.sessions.run('s', 'a\0b')).rejects.toMatchObject({ reason: 'invalid_command' });
  });

  it('keeps what a command changes in the shell', async () => {
    const { computer, workdir } = bench();
    await openSession(bench(), 's', { env: { GIVEN: 'a b "c"' } });
    expect((await runToEnd(computer, 'echo "$GIVEN"')).text).toBe('a b "c"\n');
    await runToEnd(
      computer,
      'mkdir sub && cd sub && export X=1 && declare -A map=([k]=v) && f() { echo "f $X"; }',
    );
    expect((await runToEnd(computer, `f; echo "\${map[k]}"; pwd`)).text).toBe(`f 1\nv\n${workdir}/sub\n`);
  });

  it('begins with what the task says, in the shell itself, and tells when that failed', async () => {
    const { computer } = bench();
    const lines = ['export ACTIVE=yes', 'act() { echo "active $ACTIVE"; }', 'PS1="(env) "', 'false'];
    await openSession(bench(), 's', { env: beginningWith(lines) });
    expect((await runToEnd(computer, 'act; env | grep -c -e ACTIVE= -e __WM_')).text).toBe('active yes\n1\n');
    const { bytes } = await computer.sessions.read('s', 0, 10_000);
    expect(Buffer.from(bytes).toString()).toContain(
      '[What the task begins each session with ended with exit code 1.]',
    );
  });

  it('tells its markers also after a command broke prompt, IFS or error settings', async () => {
    const { computer } = bench();
    await openSession(bench());
    await runToEnd(computer, "PROMPT_COMMAND='echo prompt;'; IFS=,; set -u; PS0=; unset -f nothing");
    expect(await runToEnd(computer, 'echo still; false')).toMatchObject({ exitCode: 1, text: 'still\n' });
    await untilState(computer, 'idle');
    expect(await runToEnd(computer, 'exec 2>/dev/null; echo here')).toMatchObject({
      exitCode: 0,
      text: 'here\n',
    });
    expect(await runToEnd(computer, 'echo there')).toMatchObject({ exitCode: 0, text: 'there\n' });
  });

  it('is not fooled when the log is printed into itself', async () => {
    const { computer, workdir } = bench();
    await openSession(bench());
    await runToEnd(computer, 'echo first');
    await computer.files.write(join(workdir, 'copy'), (await computer.sessions.read('s', 0, 1e6)).bytes);
    const { commandSeq } = await computer.sessions.run('s', 'cat copy; read x; exit 3');
    await untilState(computer, 'waiting');
    expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: 0 })).toMatchObject({
      timedOut: true,
    });
    await computer.sessions.write('s', utf8('\n'));
    expect(await computer.sessions.waitCommand('s', commandSeq, {})).toMatchObject({ exitCode: 3 });
  });

  it('returns at once from a command that goes on, and waits without killing it', async () => {
    const { computer } = bench();
    await openSession(bench());
    const { commandSeq } = await computer.sessions.run('s', 'echo begun; read line; echo "got $line"');
    await untilText(computer, 'begun');
    expect(await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: 1 })).toMatchObject({
      timedOut: true,
      exitCode: null,
    });
    const stop = new AbortController();
    const waiting = computer.sessions.waitCommand('s', commandSeq, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await untilState(computer, 'waiting');
    await computer.sessions.write('s', utf8('it\n'));
    const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect(outcome).toMatchObject({ timedOut: false, exitCode: 0 });
    const output = await readRange(computer, 's', outcome.startOffset, outcome.endOffset);
    expect(new TextDecoder().decode(output)).toContain('got it');
    await expect(computer.sessions.waitCommand('s', 99, {})).rejects.toMatchObject({
      reason: 'command_unknown',
    });
  });

  it('gives raw progress in the log and its last frame as text', async () => {
    const { computer } = bench();
    await openSession(bench());
    const result = await runToEnd(
      computer,
      String.raw`for i in 10 50 100; do printf '\r%3d%%' $i; done; echo`,
    );
    expect(new TextDecoder().decode(result.output)).toBe('\r 10%\r 50%\r100%\r\n');
    expect(result.text).toBe('100%\n');
  });

  it('runs commands of two sessions side by side', async () => {
    const { computer } = bench();
    await Promise.all([openSession(bench(), 'a'), openSession(bench(), 'b')]);
    const first = await computer.sessions.run('a', 'read x; echo "a $x"');
    expect((await runToEnd(computer, 'echo from b', 'b')).text).toBe('from b\n');
    await untilState(computer, 'waiting', 'a');
    await computer.sessions.write('a', utf8('go\n'));
    expect(await computer.sessions.waitCommand('a', first.commandSeq, {})).toMatchObject({ exitCode: 0 });
  });

  it('starts the environment clean', async () => {
    const { computer } = bench();
    await openSession(bench());
    const { text } = await runToEnd(computer, 'env; set | grep ^WAYMARK_NONCE || echo nonce none');
    expect(text).toContain('TERM=xterm-256color');
    expect(text).toContain('nonce none');
    expect(text).not.toMatch(/PLANTED|API_KEY|npm_|VITEST|NODE_/);
  });
}
