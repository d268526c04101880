import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskWarning } from '@shared/contract/task';
import picomatch from 'picomatch';
import type { TaskPackage } from './load';

/** Scripts are small; what is larger is data. */
const MOST_BYTES = 256 * 1024;
const starts =
  'sh|bash|dash|zsh|python[\\d.]*|perl|ruby|node|Rscript|julia|torchrun|source|accelerate\\s+launch|\\.';
/** In a program: what starts others, or loads files that may hold code. */
const runners =
  /\b(?:subprocess|os\.system|os\.exec\w*|runpy|importlib|__import__|execfile|child_process|torch\.load|joblib\.load|(?:c|cloud)?pickle\.loads?)\b|\bexec\s*\(/;

/** What is looked at of a package; `entries`: its files, at least those of the evaluator. */
export type WarnedPackage = Pick<TaskPackage, 'folder' | 'spec' | 'entries'>;

/** What a task may do and had better not; empty for most tasks. */
export async function taskWarnings(task: WarnedPackage): Promise<TaskWarning[]> {
  return [...unreachable(task.spec), ...(await runsTheAgents(task))];
}

/** Sentences for its author. */
export function warningWords(warning: TaskWarning): string {
  switch (warning.kind) {
    case 'success_unreachable':
      return `evaluation.success_at is ${warning.successAt} and evaluation.max_score ${warning.maxScore}, so no run of this task can count as successful. Lower success_at.`;
    case 'runs_agent_files':
      return `${warning.file} seems to run or load files that the agent wrote. Such files can give themselves any score, because they run beside the evaluator. Start them with evaluation.run, which runs before the evaluator and apart from it.`;
  }
}

function unreachable({ evaluation: { max_score, success_at } }: TaskPackage['spec']): TaskWarning[] {
  return success_at <= max_score
    ? []
    : [{ kind: 'success_unreachable', successAt: success_at, maxScore: max_score }];
}

/** Found in the texts of the evaluator, so a silent answer proves nothing. */
async function runsTheAgents({ folder, spec, entries }: WarnedPackage): Promise<TaskWarning[]> {
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
  for (const { kind, path, size } of entries) {
    if (kind !== 'file' || size > MOST_BYTES || !path.startsWith(`${evaluation.folder}/`)) continue;
    const bytes = await readFile(join(folder, path));
    if (!bytes.includes(0)) texts.push({ name: path, text: bytes.toString('utf8') });
  }
  const found = texts.find(({ text }) => started.test(text) || (named.test(text) && runners.test(text)));
  return found === undefined ? [] : [{ kind: 'runs_agent_files', file: found.name }];
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
