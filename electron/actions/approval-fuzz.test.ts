import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { taskSpecSchema } from '@shared/contract/task';
import { afterAll, expect, test } from 'vitest';
import { Chance } from '../testing/realistic-run-texts';
import { approvalQuestion } from './approval';
import { actionTaskView } from './task-view';

/**
 * Commands put together at random from shell grammar and tricks. What the reader lets run unasked is run by a real bash in a
 * folder of its own, where every program is a recorder: nothing may have run that is not on the list, and no file may have
 * been written. Nothing here reaches a network; `evil` stands for whatever must not run.
 */

/** They only look, so they are the real ones behind their recorders; `sh` and xargs would run `evil` by its name. */
const looking =
  'ls cat head tail wc sort uniq cut grep find sed awk tr seq diff stat date uname basename nl tac'.split(
    ' ',
  );
const acting = 'evil rm curl sh bash env xargs python tee nohup timeout sudo less vi'.split(' ');

const folder = mkdtempSync(join(tmpdir(), 'waymark-fuzz-'));
const bin = join(folder, 'bin');
const work = join(folder, 'work');
const log = join(folder, 'ran');
mkdirSync(bin);
for (const name of [...looking, ...acting]) {
  const real = [`/usr/bin/${name}`, `/bin/${name}`].find((path) => existsSync(path));
  const then = looking.includes(name) && real !== undefined ? `exec ${real} "$@"` : 'exit 0';
  writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> '${log}'\n${then}\n`);
  chmodSync(join(bin, name), 0o755);
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const task = actionTaskView(
  taskSpecSchema.parse({ id: 'x', title: 'X', evaluation: { command: 'true', inputs: ['**'] } }),
  work,
);
const asked = (command: string) =>
  approvalQuestion({ name: 'run_command', args: { command } }, task) !== null;

/** Files a command could mistake for options or read, the same before each command. */
const files = ['a.txt', 'b.py', 'd/c.txt', '-exec', '-delete', '-oout', '-fa.txt', 'e evil'];
function reset(): void {
  rmSync(work, { recursive: true, force: true });
  rmSync(log, { force: true });
  mkdirSync(join(work, 'd'), { recursive: true });
  for (const name of files) writeFileSync(join(work, name), 'evil\n/dev/null\n');
}
const listing = (at = work): string[] =>
  readdirSync(at, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? listing(join(at, entry.name))
      : [`${join(at, entry.name)} ${readFileSync(join(at, entry.name), 'utf8')}`],
  );

/** What bash ran: the recorders' names, and names that were not found. */
function run(command: string): string[] {
  const text = `command_not_found_handle() { echo "not found: $1" >> '${log}'; }\nshopt -s expand_aliases\neval "$1"`;
  spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', text, 'bash', command], {
    cwd: work,
    env: { PATH: bin, HOME: folder },
    timeout: 5_000,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
}

const simple = [
  'ls -la',
  'cat a.txt',
  'head -n 2 a.txt',
  'tail -1 b.py',
  'wc -l *.txt',
  'grep -rn evil .',
  'grep -e x a.txt d/c.txt',
  'sort -n a.txt',
  'sort -k 2 b.py',
  'uniq -c',
  "cut -d ' ' -f 1 a.txt",
  'find . -name "*.py"',
  'find d -type f -print',
  "sed -n '1,3p' a.txt",
  "awk '{ print $1 }' a.txt",
  'echo done',
  'echo "a b" c',
  'pwd',
  'true',
  'false',
  'cd d',
  'tr a b',
  'seq 3',
  'date +%s',
  'test -f a.txt',
  '[ -d d ]',
  'printf "%s" x',
  'stat a.txt',
  'diff a.txt b.py',
  'type ls',
  'uname -a',
];
const tricks = [
  'evil',
  '$(evil)',
  '`evil`',
  '"$(evil)"',
  "'evil'",
  '$((1+$(evil)))',
  '(( $(evil) ))',
  '((evil);(true))',
  '{evil,x}',
  '{ evil; }',
  '(evil)',
  '[[ x',
  'case x in x) evil;; esac',
  'coproc evil',
  'time -p evil',
  '! evil',
  'if evil; then true; fi',
  'env evil',
  "bash -c 'evil'",
  'bash -c -- evil',
  "env -S 'evil'",
  'xargs evil',
  '<(evil)',
  '>(evil)',
  '> out',
  '>out',
  '2>x',
  '>> a.txt',
  '&> out',
  '>| out',
  '<> out',
  '< a.txt',
  '<<< evil',
  '<<X\n$(evil)\nX\n',
  'x=$(evil)',
  'PATH=. evil',
  'A=1',
  'PROMPT_COMMAND=evil',
  'eval evil',
  '. ./a.txt',
  'source a.txt',
  'exec evil',
  'command evil',
  'builtin eval evil',
  './b.py',
  'function ls { evil; }',
  'ls() { evil; }',
  'alias ls=evil',
  'trap evil EXIT',
  '-exec evil {} +',
  '-exec evil ;',
  '-delete',
  '-o out',
  '--output=out',
  '--compress-program=evil',
  '-fprint out',
  '-ok evil \\;',
  "'1e evil'",
  "'w out'",
  "'s/e/evil/e'",
  '\'BEGIN { system("evil") }\'',
  '\'{ print > "out" }\'',
  '\'{ print | "evil" }\'',
  '\'BEGIN { "evil" | getline }\'',
  '-f a.txt',
  '-v x=1',
  '-i',
  '*',
  '?.txt',
  '[a-z]*',
  '-*',
  '~',
  '~root',
  '!!',
  '!evil',
  '^a^evil',
  '$IFS',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
  '${x:-evil}',
  '$x',
  '\\evil',
  "$'evil'",
  '$"evil"',
  '"',
  "'",
  '\\',
  '#',
  '\n',
  '\r',
  '\t',
  '&',
  '|&',
  ';;',
  '|',
  '&&',
  '||',
  ';',
  '=',
  'e\\vil',
  "e''vil",
  "printf -v 'a[$(evil)]' x",
  "test -v 'a[$(evil)]'",
  "[ -v 'a[$(evil)]' ]",
  'let x=1',
  'read x',
  'declare x',
  'set -k',
  'hash -p ./b.py ls',
  'enable -n test',
  'mapfile -C evil',
  'jobs -x evil',
  'type -p ls',
  'date -s 1',
  'hostname x',
  'a[0]=1',
];
const joints = [' ', ' ', ' ; ', ' | ', ' && ', ' || ', '\n', '', ' -- ', ';', '|', '&', ' & '];

function commandOf(chance: Chance): string {
  const parts = Array.from({ length: chance.between(1, 4) }, () =>
    chance.is(0.7) ? chance.pick(simple) : chance.pick(tricks),
  );
  let text = parts.reduce((all, part) => all + chance.pick(joints) + part);
  // One letter more, less or elsewhere: what a grammar does not foresee.
  if (chance.is(0.3)) {
    const at = chance.whole(text.length + 1);
    const sign = chance.pick([...'$`"\'\\(){}[]<>|&;!~#*?=^@%+-/ \n\t0e']);
    text = text.slice(0, at) + sign + text.slice(at + chance.whole(2));
  }
  return text;
}

const cases = process.env.WAYMARK_FULL === '1' ? 20_000 : 1_200;

test(`of ${cases} random commands, those that run unasked run nothing but what is listed`, {
  timeout: 900_000,
}, () => {
  const chance = new Chance(20_261_122);
  const wrong: string[] = [];
  let unasked = 0;
  for (let i = 0; i < cases; i += 1) {
    const command = commandOf(chance);
    if (asked(command)) continue;
    unasked += 1;
    reset();
    const before = listing();
    const ran = run(command).filter((name) => !looking.includes(name));
    const after = listing();
    if (ran.length > 0 || after.join('\n') !== before.join('\n')) wrong.push(`${command} ran ${ran.join()}`);
  }
  expect(wrong).toEqual([]);
  // Were none let through, nothing would be compared.
  expect(unasked).toBeGreaterThan(cases / 10);
});

test('the recorders see what would be wrong', () => {
  reset();
  expect(run('ls | $(echo evil) && nowhere')).toEqual(
    expect.arrayContaining(['ls', 'evil', 'not found: nowhere']),
  );
  reset();
  expect(
    run('find . -name a.txt -exec evil {} +; awk \'BEGIN { system("evil") }\'').filter((x) => x === 'evil'),
  ).toHaveLength(2);
});
