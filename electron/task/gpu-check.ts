import type { ComputerSpec } from '@shared/task';
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
  const sizes = parseGpus(answer.output).flatMap(({ memoryMb }) =>
    memoryMb === null ? [] : [memoryMb / 1024],
  );
  const enough = sizes.filter((size) => size >= wanted * tolerated);
  if (enough.length >= count) return null;
  const found =
    sizes.length === 0
      ? 'no GPU'
      : `${sizes.length} GPU${sizes.length === 1 ? '' : 's'} of ${sizes.map((size) => size.toFixed(0)).join(', ')} GB`;
  return `has ${found}, and ${asked}`;
}
