/**
 * The GPUs that a command or script names for itself; null when it says nothing. `CUDA_VISIBLE_DEVICES`, DeepSpeed's
 * `--include`, and counts of processes, which stand for the first so many.
 */
export function givenGpus(text: string): number[] | null {
  // Nearly no text names any; what a comment leaves of a line cannot make such a word.
  if (!/CUDA_VISIBLE_DEVICES|--(?:include|nproc|num)/.test(text)) return null;
  const code = text.replace(/^\s*#.*$/gm, '');
  const visible = /CUDA_VISIBLE_DEVICES["']?\]?\s*=\s*["']?(\d+(?:\s*,\s*\d+)*)/.exec(code)?.[1];
  if (visible !== undefined) return numbers(visible);
  const included = /--include[= ]["']?[\w.-]+:(\d+(?:,\d+)*)/.exec(code)?.[1];
  if (included !== undefined) return numbers(included);
  const count = /--(?:nproc[_-]per[_-]node|num[_-]processes|num[_-]gpus)[= ](\d+)/.exec(code)?.[1];
  return count === undefined
    ? null
    : Array.from({ length: Math.min(64, Number(count)) }, (_, index) => index);
}

function numbers(list: string): number[] {
  return list.split(',').map((part) => Number.parseInt(part, 10));
}
