import { describe, expect, it } from 'vitest';
import { gpuProblem } from './gpu-check';

const wanted = { gpus: { count: 2, memory_gb: 80 } };
const row = (index: number, mib: string) => `${index}, NVIDIA H100 80GB HBM3, ${mib}, 4, 0`;
const answer = (...rows: string[]) => ({ exitCode: 0, output: `${rows.join('\n')}\n` });

describe('comparing GPUs with what a task asks for', () => {
  it('takes what the cards are sold as: a driver counts a little less', () => {
    expect(gpuProblem(wanted, answer(row(0, '81559'), row(1, '81559')))).toBeNull();
    expect(
      gpuProblem({ gpus: { count: 1, memory_gb: 24 } }, answer('0, NVIDIA A10, 23028, 0, 0')),
    ).toBeNull();
    expect(gpuProblem({ gpus: null }, { exitCode: 127, output: '' })).toBeNull();
  });

  it.each([
    ['fewer', answer(row(0, '81559')), /has 1 GPU \(memory in GB: 80\), and the task asks for 2 of 80 GB/],
    ['smaller ones', answer(row(0, '81559'), row(1, '40536')), /has 2 GPUs \(memory in GB: 80, 40\)/],
    ['ones it cannot tell', answer(row(0, '[N/A]'), row(1, '[N/A]')), /memory in GB: unknown, unknown/],
    ['none', answer(''), /has no GPU/],
    ['no nvidia-smi', { exitCode: 127, output: '' }, /shows no GPUs/],
    ['one that hangs', { exitCode: null, output: '' }, /shows no GPUs/],
  ])('names what is wrong with %s', (_, found, words) => {
    expect(gpuProblem(wanted, found)).toMatch(words);
  });
});
