import type { HostGpu } from '@shared/contract/computers';

/** Exit code of `gpuScript` where there is no `nvidia-smi`. */
export const noGpuTool = 127;

/** For the helper's `exec`; prints what `parseGpus` reads. */
export const gpuScript = [
  `command -v nvidia-smi >/dev/null 2>&1 || exit ${noGpuTool}`,
  'exec nvidia-smi --query-gpu=index,name,memory.total,memory.used,utilization.gpu --format=csv,noheader,nounits',
].join('\n');

/** Lines that are no GPU's (warnings of the driver) are passed over. */
export function parseGpus(output: string): HostGpu[] {
  return output.split('\n').flatMap((line) => {
    const fields = line.split(',').map((field) => field.trim());
    const [index = '', ...rest] = fields;
    const [memory, used, utilization] = rest.slice(-3);
    // A name may hold a comma.
    const name = rest.slice(0, -3).join(', ');
    if (!/^\d+$/.test(index) || name === '') return [];
    return [
      {
        index: Number(index),
        name,
        memoryMb: figure(memory),
        usedMb: figure(used),
        utilization: figure(utilization),
      },
    ];
  });
}

/** `[N/A]`, `[Not Supported]` and the like are null. */
function figure(text: string | undefined): number | null {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}
