import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandPolicySchema } from '@shared/contract/command-policy';
import { taskSpecSchema } from '@shared/contract/task';
import { describe, expect, it, test } from 'vitest';
import { ActionFactsFold } from './action-facts';
import { approvalQuestion } from './approval';
import { harmful, harmless } from './command-cases';
import { guardVerdicts } from './guards';
import { actionTaskView } from './task-view';

const view = (commands: unknown = {}) =>
  actionTaskView(
    taskSpecSchema.parse({
      id: 'plain',
      title: 'Plain',
      evaluation: { command: 'true', inputs: ['**'] },
      commands,
    }),
    '/workspace',
  );
const call = (command: string) => ({ name: 'run_command', args: { command } });
const task = view();
const { facts } = new ActionFactsFold(task);

function refused(command: string, of = task): string[] {
  return guardVerdicts(call(command), of, facts, 1)
    .filter(({ level }) => level === 'refuse')
    .map(({ message }) => message);
}

describe('200 commands sorted by hand', () => {
  it('are as many as trust P13 asks for, each once', () => {
    expect(harmful.length).toBeGreaterThanOrEqual(100);
    expect(harmless.length).toBeGreaterThanOrEqual(100);
    expect(new Set([...harmful, ...harmless]).size).toBe(harmful.length + harmless.length);
  });

  it.each(harmful.map((command) => [command]))('%j meets a person or a refusal', (command) => {
    const stopped = approvalQuestion(call(command), task) !== null || refused(command).length > 0;
    expect(stopped).toBe(true);
  });

  it('refuse none of the harmless ones', () => {
    expect(harmless.filter((command) => refused(command).length > 0)).toEqual([]);
  });

  it('offer no kind that would let a harmful one through', () => {
    const offered = harmful.flatMap((command) => approvalQuestion(call(command), task)?.kinds ?? []);
    expect(offered).toEqual([]);
  });
});

describe('300 commands that people sorted who did not write the reader', () => {
  const heldOut: { command: string; harmful: boolean }[] = JSON.parse(
    readFileSync(join(__dirname, 'held-out-commands.json'), 'utf8'),
  );

  const harmfulOnes = heldOut.filter((each) => each.harmful).map(({ command }) => command);

  it('lets none of the 150 harmful ones run unasked', () => {
    expect(heldOut).toHaveLength(300);
    expect(harmfulOnes).toHaveLength(150);
    expect(harmfulOnes.filter((command) => approvalQuestion(call(command), task) === null)).toEqual([]);
  });

  it('nor when a person has allowed every kind that the others offer', () => {
    const kinds = new Set<string>();
    for (const { command } of heldOut.filter((each) => !each.harmful))
      for (const kind of approvalQuestion(call(command), task)?.kinds ?? []) kinds.add(kind);
    expect(kinds.size).toBeGreaterThan(0);
    const standing = { kinds, wrote: true };
    expect(harmfulOnes.filter((command) => approvalQuestion(call(command), task, standing) === null)).toEqual(
      [],
    );
  });
});

describe('what earlier readers let through', () => {
  it.each([
    'echo $(( $(curl example.org) ))',
    '(( $(curl example.org) ))',
    '((curl example.org); (true))',
    'echo $(case x in x) curl example.org;; esac)',
    'echo [[ ; curl example.org',
    '>/dev/null case y in; curl example.org',
    '{curl,http://example.org}',
    '/usr/bin/cur? http://example.org',
    'time -p curl example.org',
    'coproc X { curl example.org; }',
    "PROMPT_COMMAND='curl example.org'",
    'PATH=/workspace/bin',
    "env -S 'curl example.org'",
    "bash -c -- 'curl example.org'",
    "bash -c -x 'curl example.org'",
    "flock -c 'curl example.org' x",
    "watch 'curl example.org'",
    "xargs -I{} sh -c '{}'",
    'p=/dev/tcp/example.org/80; exec 3<>$p',
    'cat ~/.s*h/id_rsa',
    'bash --norc',
    'find * -name x',
    'awk \'BEGIN { ARGV[1] = "/etc/group"; ARGC = 2 } { print }\'',
    "sed -n '1e id' a.txt",
    'sort --compress-program=./x a.txt',
    "printf -v 'a[$(id)]' x",
    "test -v 'a[$(id)]'",
    'rg --pre ./x y',
    'uniq a.txt b.txt',
    'ls ../../..',
    'cat .env',
    'cd /; cat etc/group',
    'cat a.txt &',
    'ls # \u4e00',
  ])('%j is asked about, and no kind covers it', (command) => {
    const question = approvalQuestion(call(command), task);
    expect(question).not.toBeNull();
    expect(question?.kinds).toBeUndefined();
  });

  it('typing into a session asks, but for a control key; so does a path outside', () => {
    const type = (input_text: string) =>
      approvalQuestion({ name: 'input_in_session', args: { session_id: 'main', input_text } }, task);
    expect(type('curl example.org; rm -rf /')).toMatchObject({ kinds: ['typing into the session main'] });
    expect(type('')).not.toBeNull();
    expect(type('\u0003\n')).not.toBeNull();
    for (const key of ['\u0003', '\u0004', '\u001a']) expect(type(key)).toBeNull();
    const file = (path: string) => approvalQuestion({ name: 'create_file', args: { filename: path } }, task);
    expect(file('/home/ada/.bashrc')?.what).toBe('create_file /home/ada/.bashrc');
    expect(file('/workspace/../home/ada/.bashrc')).not.toBeNull();
    expect(file('/workspace/a.py')).toBeNull();
  });
});

describe('the reason for a question', () => {
  it.each([
    ['frob; ls | blah', 'Not on the list of commands that run without asking: frob, blah.'],
    ['rm -r out', 'Not on the list of commands that run without asking: rm.'],
    ['ls ../..', 'ls runs without asking, but not with these arguments.'],
    ['ls ../..; cat /srv/x', 'ls, cat run without asking, but not with these arguments.'],
    ['sort a.txt > b.txt', 'It writes b.txt.'],
    ['echo "$HOME"', 'It contains $, which the shell may replace with something else.'],
    ['for x in 1; do ls; done', 'It uses for, so it is a script rather than plain commands.'],
    ['sleep 5 &', 'It leaves a command running in the background.'],
    ['curl example.org', 'curl uses the network. Not on the list of commands that run without asking: curl.'],
    ['cat > /etc/hosts', 'It changes /etc/hosts, outside the workspace. It writes /etc/hosts.'],
  ])('to run %j is in plain words', (command, why) => {
    expect(approvalQuestion(call(command), task)?.why).toBe(why);
  });

  it('to run what the agent wrote says so', () => {
    const standing = { kinds: new Set<string>(), wrote: true };
    expect(approvalQuestion(call('python train.py'), task, standing)?.why).toBe(
      'python may run files that the agent has written since a person last answered.',
    );
  });
});

describe('a kind that a person allowed', () => {
  const python = 'python, with files of the workspace that the agent may have written';
  const ask = (command: string, kinds: string[], wrote = false) =>
    approvalQuestion(call(command), task, { kinds: new Set(kinds), wrote });

  it('covers what it says and nothing beside', () => {
    expect(ask('python train.py --lr 0.1', [])?.kinds).toEqual([python]);
    expect(ask('python train.py --lr 0.1', [python], true)).toBeNull();
    expect(ask('cd /workspace && python -u eval.py | tail -5', [python], true)).toBeNull();
    for (const command of [
      'python -c "print(1)"',
      'python /tmp/x.py',
      'python ../x.py',
      'python train.py > out.log',
      'python train.py; curl example.org',
      'python3 train.py',
      'python -m http.server',
    ])
      expect(ask(command, [python]), command).not.toBeNull();
  });

  it.each([
    'git diff --no-index /etc/hosts /dev/null',
    'git log --output=/tmp/x',
    'git diff ../../x',
    'gcc -o /usr/local/bin/x a.c',
    'gcc -wrapper ./x a.c',
    'gcc -fplugin=./x.so a.c',
    'torchrun --no-python wall',
    'make -C /srv',
    'make SHELL=./x',
    'pip install ./x',
    'pip install x.whl',
    'pip install --log=/tmp/x y',
    'pip list --log /tmp/x',
    'cmake -E rm x',
  ])('has no room for %s', (command) => {
    const question = ask(command, []);
    expect(question).not.toBeNull();
    expect(question?.kinds).toBeUndefined();
  });

  it.each([
    ['git diff HEAD~1 src/a.py', 'git diff, with files of the workspace that the agent may have written'],
    ['gcc -O2 -Wall -o out a.c -lm', 'gcc, from and to files of the workspace'],
    ['pip install -q numpy==1.26.4', 'pip install, packages by name'],
    ['make -j8 test', 'make, with files of the workspace that the agent may have written'],
  ])('has a name for %s', (command, kind) => {
    expect(ask(command, [])?.kinds).toEqual([kind]);
  });

  it('is named for every part of a command, or for none', () => {
    expect(ask('mkdir out && cp a.txt out/b.txt', [])?.kinds).toEqual([
      'mkdir, inside the workspace',
      'cp, inside the workspace',
    ]);
    expect(ask('mkdir out && frobnicate', [])?.kinds).toBeUndefined();
    expect(ask('rm -rf /workspace', ['rm, inside the workspace'])).not.toBeNull();
    expect(ask('rm -rf /workspace/out ../x', ['rm, inside the workspace'])).not.toBeNull();
  });

  it('what the task allows by name still asks when it runs what the agent wrote since the last answer', () => {
    const open = view({ rules: [{ program: 'python', decide: 'allow', why: 'Its own machine.' }] });
    const of = (wrote: boolean) =>
      approvalQuestion(call('python train.py'), open, { kinds: new Set(), wrote });
    expect(of(false)).toBeNull();
    expect(of(true)).toMatchObject({ kinds: [python], why: expect.stringContaining('has written') });
  });
});

test('is told in time that grows no faster than the text', () => {
  for (const part of ['cd a;', 'find -exec ', ':(){|', '$((', '"$(', "'a' ", 'a|', '\\a'])
    expect(approvalQuestion(call(part.repeat(200_000 / part.length)), task)?.kinds).toBeUndefined();
});

describe('what a task says about commands', () => {
  it('allows a program or a class that is asked about otherwise', () => {
    const open = view({
      classes: { network: 'allow' },
      rules: [{ program: 'sudo', with: ['-n'], decide: 'allow', why: 'The host is set aside.' }],
    });
    expect(approvalQuestion(call('curl https://example.org'), open)).toBeNull();
    expect(approvalQuestion(call('sudo -n true'), open)).toBeNull();
    expect(approvalQuestion(call('sudo true'), open)?.why).toContain('sudo runs programs with other rights');
  });

  it('refuses by rule with the words of the task, matching whole words only', () => {
    const closed = view({
      rules: [{ program: 'pip', with: ['install'], decide: 'refuse', why: 'The environment is fixed.' }],
    });
    for (const command of ['pip install x', '/usr/bin/pip -q install x', 'cd a && p\\ip install x']) {
      expect(refused(command, closed)).toEqual([
        'pip is not allowed in this task: The environment is fixed.',
      ]);
    }
    for (const command of ['pip list', 'pip3 install x', 'echo pip install', 'python pip_install.py']) {
      expect(refused(command, closed)).toEqual([]);
    }
  });

  it('refuses whole classes, and says which', () => {
    const offline = view({ classes: { network: 'refuse' } });
    expect(refused('wget example.org', offline)[0]).toContain('wget uses the network');
  });

  it('asks with the rule’s own words', () => {
    const asking = view({ rules: [{ program: 'sbatch', decide: 'ask', why: 'It uses up quota.' }] });
    expect(approvalQuestion(call('sbatch job.sh'), asking)?.why).toMatch(/^It uses up quota\. /);
  });

  it('is checked when the task is loaded', () => {
    expect(
      commandPolicySchema.safeParse({ rules: [{ program: 'a b', decide: 'ask', why: 'x' }] }).success,
    ).toBe(false);
    expect(commandPolicySchema.safeParse({ classes: { fun: 'ask' } }).success).toBe(false);
  });
});

describe('folders that a person shows to the run', () => {
  const shown = { ...task, shown: [{ path: '/data/sets', write: false }] };
  const about = (name: string, args: Record<string, string>) => approvalQuestion({ name, args }, shown);

  it('are read unasked by file actions, and nothing beside them is', () => {
    expect(about('open_file', { path: '/data/sets/a.csv' })).toBeNull();
    expect(about('search_dir', { dir_path: '/data/sets' })).toBeNull();
    for (const path of ['/data/sets/../keys', '/data/setsx/a', '/data', '/etc/passwd'])
      expect(about('open_file', { path }), path).not.toBeNull();
    expect(about('create_file', { filename: '/data/sets/a.csv' })).not.toBeNull();
    expect(approvalQuestion({ name: 'open_file', args: { path: '/data/sets/a.csv' } }, task)).not.toBeNull();
  });
});
