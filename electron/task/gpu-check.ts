import type { ComputerSpec } from '@shared/contract/task';
import { parseGpus } from '../computer/ssh/gpu';

/** What a card's name promises is more than what the driver counts: 80 GB are 79.6 GiB, 24 GB with ECC 22.5. */
const tolerated = 0.9;

/** What the query came to. */
export interface GpuAnswer {
  exitCode: number | null;
  output: string;
}

/**
 * Why a computer's GPUs are not what the task asks for, as the end of a sentence about the computer; null when they are.
 */
export function gpuProblem(spec: Pick<ComputerSpec, 'gpus'>, answer: GpuAnswer): string | null {
  if (spec.gpus === null) return null;
  const { count, memory_gb: wanted } = spec.gpus;
  const asked = `the task asks for ${count} of ${wanted} GB`;
  if (answer.exitCode !== 0) return `shows no GPUs (nvidia-smi did not answer), and ${asked}`;
  const gpus = parseGpus(answer.output).map(({ memoryMb }) => (memoryMb === null ? null : memoryMb / 1024));
  if (gpus.filter((size) => size !== null && size >= wanted * tolerated).length >= count) return null;
  const sizes = gpus.map((size) => size?.toFixed(0) ?? 'unknown').join(', ');
  const found =
    gpus.length === 0
      ? 'no GPU'
      : `${gpus.length} GPU${gpus.length === 1 ? '' : 's'} (memory in GB: ${sizes})`;
  return `has ${found}, and ${asked}`;
}
