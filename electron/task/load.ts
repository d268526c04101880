import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { TaskSpec } from '@shared/contract/task';
import { globProblem } from './copy-inputs';
import { listPackage, type PackageEntry } from './package-files';
import { fieldName, type LineOf, parseTaskYaml, TASK_FILE, type TaskProblem } from './task-yaml';

/** A package that holds together. `spec` has its description and task hint filled in. */
export interface TaskPackage {
  folder: string;
  spec: TaskSpec;
  entries: PackageEntry[];
}

const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Reads and checks the task package in `folder`.
 * @throws WaymarkError `task_invalid`; the message names the first problem, `detail` lists the others, one a line.
 */
export async function loadTaskPackage(folder: string): Promise<TaskPackage> {
  const { taskPackage, problems } = await checkTaskPackage(folder);
  if (taskPackage) return taskPackage;
  const lines = problems.map(problemLine);
  const more = problems.length > 1 ? ` ${problems.length - 1} more below.` : '';
  throw new WaymarkError(
    'task_invalid',
    `${folder} is not a usable task package. ${lines[0] ?? 'Nothing could be read.'}${more}`,
    lines.length > 1 ? lines.slice(1).join('\n') : undefined,
  );
}

/** `task.yaml, line 12, limits.max_steps: must be ... Next step.` */
export function problemLine(problem: TaskProblem): string {
  const where = [
    problem.file,
    ...(problem.line === null ? [] : [`line ${problem.line}`]),
    ...(problem.field === '' ? [] : [problem.field]),
  ];
  return `${where.join(', ')}: ${problem.cause}. ${problem.next}`;
}

/** As `loadTaskPackage`, with the problems as data. */
export async function checkTaskPackage(
  folder: string,
): Promise<{ taskPackage: TaskPackage | null; problems: TaskProblem[] }> {
  const there = await stat(folder).catch(() => null);
  if (there?.isDirectory() !== true) {
    const cause = there === null ? 'is not there' : 'is not a folder';
    const next = `A task package is a folder with a ${TASK_FILE}; docs/task-package.md describes it.`;
    return { taskPackage: null, problems: [{ file: 'folder', field: '', line: null, cause, next }] };
  }
  const text = await readText(
    folder,
    TASK_FILE,
    `Put a ${TASK_FILE} there; docs/task-package.md describes it.`,
  );
  if (typeof text !== 'string') return { taskPackage: null, problems: [text] };
  const { spec, problems, lineOf } = parseTaskYaml(text);
  const listing = await listPackage(folder);
  problems.push(
    ...listing.problems.map(({ path, cause, next }) => ({ file: path, field: '', line: null, cause, next })),
  );
  if (!spec) return { taskPackage: null, problems };
  problems.push(...fileProblems(spec, listing.entries, lineOf), ...globProblems(spec, lineOf));
  if (spec.description === '') {
    const description = await readText(
      folder,
      spec.description_file,
      'Describe the task there for the agent.',
    );
    if (typeof description !== 'string') problems.push(description);
    else if (description.trim() === '') {
      problems.push(atField(['description_file'], lineOf, 'names an empty file', 'Describe the task there.'));
    } else spec.description = description;
  }
  const hinted =
    spec.task_hint.mode !== 'off' || listing.entries.some(({ path }) => path === spec.task_hint.file);
  if (hinted && spec.task_hint.text === '') {
    const hint = await readText(
      folder,
      spec.task_hint.file,
      'Write the task hint there, or set task_hint.mode to off.',
    );
    if (typeof hint !== 'string') problems.push(hint);
    else spec.task_hint.text = hint;
  }
  if (problems.length > 0) return { taskPackage: null, problems };
  return { taskPackage: { folder, spec, entries: listing.entries }, problems: [] };
}

async function readText(folder: string, path: string, next: string): Promise<string | TaskProblem> {
  const problem = (cause: string, what = next): TaskProblem => ({
    file: path,
    field: '',
    line: null,
    cause,
    next: what,
  });
  try {
    const facts = await stat(join(folder, path));
    if (!facts.isFile()) return problem('is not a file');
    if (facts.size > MAX_TEXT_BYTES)
      return problem(`is larger than ${MAX_TEXT_BYTES / 1024} KB`, 'Shorten it.');
    const bytes = await readFile(join(folder, path));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r\n/g, '\n');
  } catch (error) {
    if (error instanceof TypeError) return problem('is not UTF-8 text', 'Save it as UTF-8.');
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return problem('is missing');
    return problem(`cannot be read (${code ?? String(error)})`, 'Check the permissions of the folder.');
  }
}

function atField(path: readonly PropertyKey[], lineOf: LineOf, cause: string, next: string): TaskProblem {
  return { file: TASK_FILE, field: fieldName(path), line: lineOf(path), cause, next };
}

function fileProblems(spec: TaskSpec, entries: readonly PackageEntry[], lineOf: LineOf): TaskProblem[] {
  const problems: TaskProblem[] = [];
  const has = (path: string) => {
    const bare = path.replace(/\/+$/, '');
    return entries.some((entry) => entry.path === bare || entry.path.startsWith(`${bare}/`));
  };
  const { folder } = spec.evaluation;
  if (!entries.some((entry) => entry.path.startsWith(`${folder}/`))) {
    const cause = `names the folder ${folder}, which is not in the package or is empty`;
    problems.push(atField(['evaluation', 'folder'], lineOf, cause, 'Put the evaluator there.'));
  }
  if (['task', 'data'].some((top) => folder === top || folder.startsWith(`${top}/`))) {
    const cause = 'is in a folder that is copied to the agent';
    problems.push(
      atField(['evaluation', 'folder'], lineOf, cause, 'Keep the evaluator next to task/ and data/.'),
    );
  }
  for (const [i, computer] of spec.computers.entries()) {
    for (const [j, copy] of computer.setup.copy.entries()) {
      if (has(copy.from)) continue;
      const path = ['computers', i, 'setup', 'copy', j, 'from'];
      problems.push(
        atField(path, lineOf, `names ${copy.from}, which is not in the package`, 'Add it, or fix the path.'),
      );
    }
  }
  const made = spec.computers.flatMap((c) => [...c.setup.copy, ...c.setup.link].map((step) => step.to));
  for (const [i, path] of spec.protected.entries()) {
    if (has(path) || made.some((to) => path === to || path.startsWith(`${to}/`))) continue;
    const cause = `names ${path}, which neither the package nor a set-up step puts into the workspace`;
    problems.push(atField(['protected', i], lineOf, cause, 'Workspace paths start with task/ or data/.'));
  }
  return problems;
}

function globProblems(spec: TaskSpec, lineOf: LineOf): TaskProblem[] {
  return spec.evaluation.inputs.flatMap((glob, i) => {
    const cause = globProblem(glob);
    return cause ? [atField(['evaluation', 'inputs', i], lineOf, cause, 'Example: data/outputs/**')] : [];
  });
}
