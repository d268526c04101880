import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LocalFiles } from '../computer/local/local-files';
import { type EvaluationOrder, type EvaluationOutcome, evaluate } from '../task/evaluate';
import { loadTaskPackage } from '../task/load';
import { localSites } from '../task/local-site';
import { hashPackage } from '../task/package-files';
import { prepareWorkspace } from '../task/reset';
import { smallTaskYaml, writeTaskPackage } from './task-package';

export interface EvaluationStand {
  /** The small task's, changed. */
  yaml?: (text: string) => string;
  /** Of the package; `evaluation/evaluate.sh` above all. */
  files: Readonly<Record<string, string>>;
  /** What the agent left, by path in its workspace. */
  left: Readonly<Record<string, string>>;
  /** Changes of the order, a signal or a machine. */
  more?: Partial<EvaluationOrder>;
}

/** Puts a line more into the evaluation of the small task. */
export const withLine = (line: string) => (text: string) => text.replace('  needs:', `  ${line}\n  needs:`);

/** Evaluates what an agent left in run `one` of `workspace`, with the real machine. */
export async function evaluateLeft(
  workspace: string,
  { yaml = (text) => text, files, left, more = {} }: EvaluationStand,
): Promise<EvaluationOutcome> {
  const packageFolder = await writeTaskPackage(join(workspace, 'tasks/small'), {
    'task.yaml': yaml(smallTaskYaml),
    'evaluation/key': 'the key',
    ...files,
  });
  const { spec, entries } = await loadTaskPackage(packageFolder);
  const runFolder = join(workspace, 'runs/one');
  const { signal } = new AbortController();
  const sites = localSites(spec, packageFolder, runFolder, signal);
  const { root, protectedHashes } = await prepareWorkspace({ spec, packageFolder, runFolder, sites, signal });
  for (const [path, text] of Object.entries(left)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return evaluate({
    spec,
    packageFolder,
    packageHash: await hashPackage(packageFolder, entries),
    root,
    runFolder,
    workspace,
    files: new LocalFiles(),
    folders: [],
    isolated: false,
    attempt: 1,
    forced: false,
    hintSeen: false,
    protectedHashes,
    signal,
    ...more,
  });
}
