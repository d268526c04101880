import { startRunSchema } from '@shared/contract/ipc/runs';
import { describe, expect, it } from 'vitest';
import {
  approvalsFor,
  type Choices,
  defaultApprovals,
  noChoices,
  placesInput,
  sharedMachine,
  sharesEvaluator,
  type TaskComputer,
} from './places';

const computer = (name: string, change: Partial<TaskComputer> = {}): TaskComputer => ({
  name,
  host: name,
  kind: 'gpu',
  gpus: 8,
  internet: false,
  evaluator: false,
  dedicated: false,
  eachSession: [],
  approvals: 'on',
  ...change,
});
const task = {
  computers: [
    computer('gpu-a', { dedicated: true, approvals: 'off' }),
    computer('web', { host: 'local', kind: 'localhost_cpu', gpus: 0 }),
    computer('judge', { evaluator: true }),
  ],
};
const choose = (hosts: Choices['hosts'], approvals: Choices['approvals'] = {}): Choices => ({
  hosts,
  approvals,
});

describe('where the computers of a run are', () => {
  it('is where the task says until somebody chooses, and is always said by name', () => {
    expect(placesInput(task, noChoices)).toEqual({
      computers: { 'gpu-a': 'gpu-a', web: 'local', judge: 'judge' },
      approvals: 'on',
      computerApprovals: { 'gpu-a': 'off', web: 'on' },
    });
    expect(placesInput(task, choose({ 'gpu-a': 'gpu-07' })).computers).toMatchObject({ 'gpu-a': 'gpu-07' });
  });

  it('is what the contract takes', () => {
    const input = { task: 't', endpoint: 'e', ...placesInput(task, choose({ judge: 'local' })) };
    expect(startRunSchema.safeParse(input).success).toBe(true);
  });

  it('cannot be one machine for two of them; the evaluator is apart', () => {
    expect(sharedMachine(task, noChoices)).toBeNull();
    expect(sharedMachine(task, choose({ judge: 'local' }))).toBeNull();
    expect(sharedMachine(task, choose({ 'gpu-a': 'local' }))).toEqual({
      host: 'local',
      names: ['gpu-a', 'web'],
    });
  });

  it('decides whether the agent could reach the evaluator', () => {
    expect(sharesEvaluator(task, noChoices)).toBe(false);
    expect(sharesEvaluator(task, choose({ judge: 'local' }))).toBe(true);
    const plain = { computers: [computer('gpu-a')] };
    expect(sharesEvaluator(plain, noChoices)).toBe(false);
    expect(sharesEvaluator(plain, choose({ 'gpu-a': 'local' }))).toBe(true);
  });
});

describe('approvals', () => {
  it('are off on a dedicated host, but not for its work on this computer', () => {
    const [dedicated] = task.computers;
    if (dedicated === undefined) throw new Error('the task has computers');
    expect(defaultApprovals(dedicated, noChoices)).toBe('off');
    expect(defaultApprovals(dedicated, choose({ 'gpu-a': 'local' }))).toBe('on');
    expect(approvalsFor(dedicated, choose({}, { 'gpu-a': 'on' }))).toBe('on');
  });

  it('are off altogether only when they are off everywhere', () => {
    const off = choose({}, { web: 'off' });
    expect(placesInput(task, off)).toMatchObject({
      approvals: 'off',
      computerApprovals: { 'gpu-a': 'off', web: 'off' },
    });
  });
});
