import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { runOrNull } from '../log/run-owners';
import { type ReadContext, type RunRecord, readEvents } from '../queries/read-context';
import type { FileKey } from '../values';

/** No family is deeper; a log that says so leads in a circle. */
const MAX_DEPTH = 1000;

/** A run whose changes up to step `to` are part of the files of the run that was asked for. */
export interface FileSource {
  run: RunRecord;
  inherited: boolean;
  to: number;
  /** Where its workspace was and where the asking run's is. */
  root: { from: string; to: string };
}

/**
 * Whose changes made the run's files, oldest first. A branch begins with the files of a checkpoint: what its parent
 * changed after that never came to it, and without a checkpoint it begins with the task's own files.
 */
export function fileSources(context: ReadContext, run: RunRecord): FileSource[] {
  const found: FileSource[] = [
    { run, inherited: false, to: LAST_SEQ, root: { from: run.state.root, to: run.state.root } },
  ];
  let child = run;
  for (let to = LAST_SEQ; child.facts.parent !== null && found.length < MAX_DEPTH; ) {
    to = Math.min(to, child.facts.parent.step, copiedUntil(context, child));
    const parent = runOrNull(context, child.facts.parent.run);
    if (parent === null || to < 1) break;
    found.unshift({
      run: parent,
      inherited: true,
      to,
      root: { from: parent.state.root, to: run.state.root },
    });
    child = parent;
  }
  return found;
}

/** Step of the checkpoint that a branch's files come from; 0 = none of them are its parent's. */
function copiedUntil(context: ReadContext, branch: RunRecord): number {
  const note = context.statements.get<{ id: number }>(
    'SELECT id FROM note WHERE id BETWEEN ? AND ? AND body LIKE \'{"kind":"branch",%\' ORDER BY id LIMIT 1',
    rowId(branch.id, 0),
    rowId(branch.id, LAST_SEQ),
  );
  const [began] = note === undefined ? [] : readEvents(context, branch, seqOf(note.id), seqOf(note.id), 1);
  if (began?.kind !== 'branch.began' || began.body.checkpoint === null) return 0;
  const { checkpoint } = began.body;
  let owner = branch.facts.parent === null ? null : runOrNull(context, branch.facts.parent.run);
  for (let depth = 0; owner !== null && depth < MAX_DEPTH; depth += 1) {
    const made = context.statements.get<{ step: number }>(
      "SELECT json_extract(body, '$.step') AS step FROM note WHERE id BETWEEN ? AND ? AND body LIKE ? LIMIT 1",
      rowId(owner.id, 0),
      rowId(owner.id, LAST_SEQ),
      `{"kind":"checkpoint","checkpoint":"${checkpoint}"%`,
    );
    if (made !== undefined) return made.step;
    owner = owner.facts.parent === null ? null : runOrNull(context, owner.facts.parent.run);
  }
  return 0;
}

/** A path of one workspace as it is called in another. */
export function movedPath(path: string, root: { from: string; to: string }): string {
  return path.startsWith(`${root.from}/`) ? root.to + path.slice(root.from.length) : path;
}

/** Part of a file's history: its revisions `1..count` in `run` are `offset + 1..offset + count` of the whole. */
export interface Stretch extends FileSource {
  computer: string;
  /** As the run of this part calls it. */
  path: string;
  offset: number;
  count: number;
}

export function fileStretches(context: ReadContext, run: RunRecord, file: FileKey): Stretch[] {
  let offset = 0;
  return fileSources(context, run).map((source) => {
    const path = movedPath(file.path, { from: source.root.to, to: source.root.from });
    const count = countUpTo(context, source.run, { computer: file.computer, path }, source.to);
    const stretch = { ...source, computer: file.computer, path, offset, count };
    offset += count;
    return stretch;
  });
}

/** Revisions are in the order of steps. */
export function countUpTo(context: ReadContext, run: RunRecord, file: FileKey, step: number): number {
  const row = context.statements.get<{ n: number }>(
    'SELECT count(*) AS n FROM file_revision WHERE run = ? AND computer = ? AND path = ? AND step <= ?',
    run.id,
    file.computer,
    file.path,
    step,
  );
  return row?.n ?? 0;
}
