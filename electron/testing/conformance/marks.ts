import { join } from 'node:path';
import { MarkerScanner } from '@shared/terminal/command-markers';
import { expect, it } from 'vitest';
import type { Computer } from '../../computer/port';
import { eventually } from '../deadline';
import { type Bench, mustFind, openSession, readRange, runToEnd, untilState } from './session-driver';

/** The record of markers that the supervisor keeps beside the log. */
export function markCases(bench: () => Bench): void {
  it('notes every marker that passes, wherever reads cut it, as a scanner of the log finds them', async () => {
    const { computer } = bench();
    await openSession(bench());
    await runToEnd(computer, slowly('7717;N;A;77'));
    await runToEnd(computer, slowly('7717;N;D;3;1700000000.5;0'));
    // None of these is one: too long, not closed, other secrets, kinds and numbers, cut short by a next one.
    const odd = [
      `7717;N;D;1;${'x'.repeat(300)}`,
      // The longest one there is, and one just too long (the secret has 24 characters).
      `7717;N;A;1;${'x'.repeat(163)}`,
      `7717;N;A;1;${'x'.repeat(173)}`,
      '7717;N;E;1',
      '7717;N;A;1234567890123456',
      '7717;N;A',
      '7717;0123;A;5',
      '7717;N;A;\\033]7717;N;C;6;1.5',
      '7717;N;A;8;a;;b c',
      '7717;N;\\001A;9',
      '771',
    ];
    const print = odd.map((text) => `printf "\\033]${text.replaceAll('N', '$__wm_nonce')}\\007"`);
    await runToEnd(computer, print.join('; '));
    await runToEnd(
      computer,
      `for i in {1..3000}; do printf '\\033]7717;%s;B;%d;x;y\\007' $__wm_nonce $i; done`,
    );
    const state = await untilState(computer, 'idle');

    const directory = (await runToEnd(computer, 'printf "%s" "$__wm_dir"')).text;
    const nonce = await text(computer, join(directory, 'nonce'));
    const scanner = new MarkerScanner(nonce.trim());
    const found = scanner
      .push(await readRange(computer, 's', 0, state.endOffset))
      .map(({ start, end, kind, seq, fields }) => [start, end, kind, seq, ...tail(fields)].join(' '));
    expect(found.length).toBeGreaterThan(3020);
    expect(found.filter((line) => line.endsWith('x'.repeat(163)))).toHaveLength(1);
    const noted = (await text(computer, join(directory, 'marks'))).split('\n');
    expect(noted.slice(0, found.length)).toEqual(found);
  });

  it('knows all of its commands when it is opened again', async () => {
    const { computer, setup } = bench();
    await openSession(bench());
    const first = await runToEnd(computer, 'seq 100000; (exit 7)');
    await runToEnd(computer, 'echo second');
    const again = await setup.again();
    expect(await again.sessions.commands('s')).toMatchObject([
      {
        commandSeq: 1,
        exitCode: 7,
        startOffset: first.startOffset,
        endOffset: first.endOffset,
        startedAt: first.startedAt,
        endedAt: first.endedAt,
      },
      { commandSeq: 2, exitCode: 0 },
    ]);
    expect((await untilState(again, 'idle')).command).toBeUndefined();
    expect((await runToEnd(again, 'echo third')).commandSeq).toBe(3);
    await again.dispose();
  });

  it('passes over its own markers when it prints its own log, and others that are not due', async () => {
    const { computer } = bench();
    await openSession(bench());
    await runToEnd(computer, 'echo one');
    await runToEnd(computer, 'echo two');
    const before = await computer.sessions.commands('s');
    const { commandSeq } = await computer.sessions.run(
      's',
      `cat "$__wm_dir/spool"; printf '\\033]7717;%s;D;1;5;0\\007\\033]7717;%s;A;1\\007' $__wm_nonce $__wm_nonce; read x`,
    );
    const state = await untilState(computer, 'waiting');
    expect(state.command?.commandSeq).toBe(commandSeq);
    await computer.sessions.write('s', new TextEncoder().encode('\n'));
    await untilState(computer, 'idle');
    expect((await computer.sessions.commands('s')).slice(0, 2)).toEqual(before);
    expect(await computer.sessions.commands('s')).toHaveLength(3);
  });

  it('sees that a name it knew was closed and given again by another port', async () => {
    const { computer, setup, workdir } = bench();
    const { id } = await openSession(bench());
    const { commandSeq } = await runToEnd(computer, 'echo old');
    await runToEnd(computer, 'echo older');
    const other = await setup.again();
    await other.sessions.close('s');
    await expect(computer.sessions.state('s')).rejects.toMatchObject({ reason: 'session_not_found' });
    await other.sessions.create({ name: 's', cwd: workdir, env: {}, rows: 30, cols: 80, profile: false });
    await runToEnd(other, 'echo new');
    await untilState(computer, 'idle');
    const now = await mustFind(computer);
    expect(now.id).not.toBe(id);
    expect(now.commandSeq).toBe(1);
    expect(await computer.sessions.commands('s')).toHaveLength(1);
    await expect(computer.sessions.waitCommand('s', commandSeq + 1, {})).rejects.toMatchObject({
      reason: 'command_unknown',
    });
    expect((await runToEnd(computer, 'stty size; echo newer')).text).toBe('30 80\nnewer\n');
    await computer.sessions.close('s');
    expect(await eventually('it is gone', async () => (await other.sessions.find('s')) === undefined)).toBe(
      true,
    );
    await other.dispose();
  });
}

/** Prints a marker one character at a time, each in a read of its own. */
function slowly(marker: string): string {
  const text = marker.replaceAll('N', '$__wm_nonce');
  return `m="${text}"; printf '\\033'; sleep 0.01; printf ']'; for ((i = 0; i < \${#m}; i++)); do sleep 0.01; printf %s "\${m:i:1}"; done; sleep 0.01; printf '\\007'`;
}

/** The data of a marker as the record has it. */
const tail = (fields: readonly string[]) => (fields.length === 0 ? [] : [fields.join(';')]);

async function text(computer: Computer, path: string): Promise<string> {
  const { bytes } = await computer.files.read(path, { maxBytes: 10_000_000 });
  return Buffer.from(bytes).toString('latin1');
}
