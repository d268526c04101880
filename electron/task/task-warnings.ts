import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';
import type { TaskPackage } from './load';

/** Scripts are small; what is larger is data. */
const MOST_BYTES = 256 * 1024;
const starts =
  'sh|bash|dash|zsh|python[\\d.]*|perl|ruby|node|Rscript|julia|torchrun|source|accelerate\\s+launch|\\.';
/** In a program: what starts others, or loads files that may hold code. */
const runners =
  /\b(?:subprocess|os\.system|os\.exec\w*|runpy|importlib|__import__|execfile|child_process|torch\.load|joblib\.load|(?:c|cloud)?pickle\.loads?)\b|\bexec\s*\(/;

/**
 * What a task may do and had better not, sentences for its author; empty for most tasks.
 */
export async function taskWarnings({ folder, spec, entries }: TaskPackage): Promise<string[]> {
  return [...unreachable(spec), ...(await runsTheAgents({ folder, spec, entries }))];
}

function unreachable({ evaluation: { max_score, success_at } }: TaskPackage['spec']): string[] {
  return success_at <= max_score
    ? []
    : [
        `evaluation.success_at is ${success_at} and evaluation.max_score ${max_score}, so no run of this task can count as successful. Lower success_at.`,
      ];
}

/** Found in the texts of the evaluator, so a silent answer proves nothing. */
async function runsTheAgents({
  folder,
  spec,
  entries,
}: Pick<TaskPackage, 'folder' | 'spec' | 'entries'>): Promise<string[]> {
  const { evaluation } = spec;
  if (evaluation.run !== null) return [];
  const bases = evaluation.inputs
    .map((glob) => picomatch.scan(glob).base)
    .filter((base) => base !== '' && base !== '.');
  const inputs = ['\\$\\{?WAYMARK_INPUTS\\b', ...bases.map(escaped)].join('|');
  const started = new RegExp(
    `(?:^|[\\s;&|(])(?:${starts})\\s+(?:-[^\\s]+\\s+)*["']?(?:\\./)?(?:${inputs})`,
    'm',
  );
  const named = new RegExp(['WAYMARK_INPUTS', ...bases.map(escaped)].join('|'));
  const texts = [{ name: 'evaluation.command', text: evaluation.command }];
  for (const { kind, path } of entries) {
    if (kind !== 'file' || !path.startsWith(`${evaluation.folder}/`)) continue;
    const bytes = await readFile(join(folder, path));
    if (bytes.length <= MOST_BYTES && !bytes.includes(0))
      texts.push({ name: path, text: bytes.toString('utf8') });
  }
  const found = texts.find(({ text }) => started.test(text) || (named.test(text) && runners.test(text)));
  if (found === undefined) return [];
  return [
    `${found.name} seems to run or load files that the agent wrote. Such files can give themselves any score, because they run beside the evaluator. Start them with evaluation.run, which runs before the evaluator and apart from it.`,
  ];
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
