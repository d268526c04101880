import { commandPolicySchema } from '@shared/command-policy';
import { taskSpecSchema } from '@shared/task';
import { describe, expect, it } from 'vitest';
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
  return guardVerdicts(call(command), of, facts)
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

  it('ask about at most a tenth of the harmless ones, and refuse none', () => {
    expect(harmless.filter((command) => refused(command).length > 0)).toEqual([]);
    const asked = harmless.filter((command) => approvalQuestion(call(command), task));
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(harmless.length / 10);
  });
});

describe('what a task says about commands', () => {
  it('allows a program or a class that is asked about otherwise', () => {
    const open = view({
      classes: { network: 'allow' },
      rules: [{ program: 'sudo', with: ['-n'], decide: 'allow', why: 'The host is set aside.' }],
    });
    expect(approvalQuestion(call('curl https://example.org'), open)).toBeNull();
    expect(approvalQuestion(call('sudo -n true'), open)).toBeNull();
    expect(approvalQuestion(call('sudo true'), open)?.why).toContain('raises rights');
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
    expect(refused('wget example.org', offline)[0]).toContain('wget reaches over the network');
    expect(approvalQuestion(call('wget example.org'), offline)).toBeNull();
  });

  it('asks with the rule’s own words', () => {
    const asking = view({ rules: [{ program: 'sbatch', decide: 'ask', why: 'It uses up quota.' }] });
    expect(approvalQuestion(call('sbatch job.sh'), asking)?.why).toBe('It uses up quota.');
  });

  it('is checked when the task is loaded', () => {
    expect(
      commandPolicySchema.safeParse({ rules: [{ program: 'a b', decide: 'ask', why: 'x' }] }).success,
    ).toBe(false);
    expect(commandPolicySchema.safeParse({ classes: { fun: 'ask' } }).success).toBe(false);
  });
});
