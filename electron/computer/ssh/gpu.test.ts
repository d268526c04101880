import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gpuScript, noGpuTool, parseGpus } from './gpu';

describe('GPUs of a host', () => {
  it('are read from what nvidia-smi prints', () => {
    const output = [
      '0, NVIDIA A100-SXM4-80GB, 81920, 1024, 35',
      '1, NVIDIA A100-SXM4-80GB, 81920, 0, 0',
    ].join('\n');
    expect(parseGpus(`${output}\n`)).toEqual([
      { index: 0, name: 'NVIDIA A100-SXM4-80GB', memoryMb: 81_920, usedMb: 1024, utilization: 35 },
      { index: 1, name: 'NVIDIA A100-SXM4-80GB', memoryMb: 81_920, usedMb: 0, utilization: 0 },
    ]);
  });

  it('say null where the driver does not tell, and pass over what is no GPU', () => {
    const output =
      'Warning: infoROM is corrupted at gpu 0\n0, NVIDIA GB10, rev 2, [N/A], [Not Supported], [N/A]\n';
    expect(parseGpus(output)).toEqual([
      { index: 0, name: 'NVIDIA GB10, rev 2', memoryMb: null, usedMb: null, utilization: null },
    ]);
    expect(parseGpus('No devices were found\n')).toEqual([]);
  });

  it('are asked for in a way a host without the tool answers by its exit code', () => {
    const bin = mkdtempSync(join(tmpdir(), 'waymark-gpu-'));
    try {
      const run = () =>
        execFileSync('/bin/bash', ['-c', gpuScript], { env: { PATH: bin }, encoding: 'utf8', stdio: 'pipe' });
      expect(run).toThrow(expect.objectContaining({ status: noGpuTool }));
      writeFileSync(join(bin, 'nvidia-smi'), '#!/bin/sh\necho "0, T4, 15360, 3, 1 $*"\n', { mode: 0o755 });
      expect(run()).toContain('--query-gpu=index,name,memory.total,memory.used,utilization.gpu');
    } finally {
      rmSync(bin, { recursive: true });
    }
  });
});
