import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArguments } from '../arguments';
import { helpFor } from '../help';
import { commands, generalOptions, optionValues } from './command-table';
import { completionCommand } from './completion';
import { type OptionName, takesValue } from './options';

let folder: string;
/** Stands for the program: what it is asked for it answers as JSON. */
const PROGRAM = `#!/bin/sh
case "$1 $2" in
  "run list") echo '{"runs":[{"id":"01M8BSVA1MP7NJPAZD62KYS8A7","title":"x"}]}' ;;
  "task list") echo '{"tasks":[{"id":"doc-filter","title":"x"}]}' ;;
  *) echo "refused: no" >&2; exit 1 ;;
esac
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-completion-'));
  writeFileSync(join(folder, 'waymark'), PROGRAM, { mode: 0o755 });
  writeFileSync(join(folder, 'labels.jsonl'), '');
  writeFileSync(join(folder, 'script'), completionCommand('bash').lines.join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for a line whose last word is being typed. */
function offered(line: string): string[] {
  const words = line.split(' ');
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const ask = `. ./script; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const path = `${folder}:${process.env.PATH}`;
  const out = execFileSync('bash', ['--norc', '-c', ask], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return out.split('\n').filter((word) => word !== '');
}

describe.runIf(process.platform === 'linux')('bash', () => {
  it.each([
    ['waymark qu', ['queue']],
    ['waymark run st', ['start', 'stop']],
    ['waymark run show 01', ['01M8BSVA1MP7NJPAZD62KYS8A7']],
    ['waymark label 01', ['01M8BSVA1MP7NJPAZD62KYS8A7']],
    ['waymark label ex', ['export']],
    ['waymark label 01M 3 tr', ['train']],
    ['waymark run start --task do', ['doc-filter']],
    ['waymark run start --max-ev', ['--max-evals']],
    ['waymark export --format llama', ['llamafactory-sharegpt', 'llamafactory-openai', 'llamafactory-v1']],
    ['waymark --workspace /x export --ver', []],
    ['waymark merge lab', ['labels.jsonl']],
    ['waymark computer test g', []],
    ['waymark completion z', ['zsh']],
    ['waymark fly ', []],
  ])('completes %j', (line, words) => {
    expect(offered(line).sort()).toEqual([...words].sort());
  });

  it('offers the options of the command and no others', () => {
    const names = (command: string) => [...(commands[command]?.options ?? []), ...generalOptions];
    for (const command of ['run list', 'rules set', 'export preview'])
      expect(offered(`waymark ${command} --`).sort()).toEqual(
        names(command)
          .map((name) => `--${name}`)
          .sort(),
      );
  });
});

describe('the table of commands', () => {
  const refusal = (argv: string[]) => {
    try {
      parseArguments(argv);
      return '';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };

  it('refuses an option that a command does not take, by name, and says what it takes', () => {
    expect(refusal(['run', 'list', '--format', 'csv'])).toBe(
      '"run list" takes no --format. It takes --workspace, --trust, --json, --help.',
    );
    expect(refusal(['run', 'start', '--max-evls', '3'])).toContain('Did you mean --max-evals?');
  });

  it('lets every command have its options, and what stands behind `--` is none', () => {
    for (const [command, { options }] of Object.entries(commands))
      for (const name of [...options, ...generalOptions])
        expect(refusal([...command.split(' '), `--${name}`, ...valueFor(name)])).toBe('');
    expect(refusal(['hint', 'send', 'R', '--', '--fly'])).toBe('');
    expect(refusal(['run', 'hint', 'R', 'x', '--wake'])).toBe('');
  });

  it('and the help name the same commands and options', () => {
    const whole = helpFor([]);
    for (const [command, { options }] of Object.entries(commands)) {
      expect(() => helpFor(command.split(' ')), command).not.toThrow();
      for (const name of options) expect(whole, `${command} --${name}`).toContain(`--${name}`);
    }
    const named = new Set(
      [...whole.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = '']) => name).filter((name) => name !== ''),
    );
    const taken = new Set<string>([
      ...Object.values(commands).flatMap(({ options }) => options),
      ...generalOptions,
    ]);
    expect([...named].filter((name) => !taken.has(name))).toEqual([]);
  });

  const valueFor = (name: OptionName): string[] => (takesValue(name) ? [optionValues[name]?.[0] ?? '1'] : []);
});
