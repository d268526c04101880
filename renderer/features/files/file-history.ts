import type { FileRevision, FileView } from '@shared/views';
import { call } from '../../api';
import { useAnswer } from '../../state/answer';
import { useTimeline } from '../../state/timeline';

export interface FileKey {
  computer: string;
  path: string;
}

/** Files of the run that changed, read again as the run grows. */
export function useFiles(run: string): FileView[] | null {
  const steps = useTimeline((state) => state.steps);
  return useAnswer(`${run} ${steps}`, () => call('files.list', { run }));
}

/** All revisions of one file, oldest first. `count` is how many there are now. */
export function useRevisions(run: string, file: FileKey | null, count: number): FileRevision[] | null {
  const key = file === null || count === 0 ? null : `${run} ${file.computer} ${file.path} ${count}`;
  return useAnswer(key, async () => (file === null ? [] : call('files.revisions', { run, ...file })));
}

export interface TextPair {
  path: string;
  before: string | null;
  after: string | null;
}

/** The texts of revision `revision` and of the one it is compared with. */
export function useTexts(run: string, file: FileKey | null, base: number, revision: number): TextPair | null {
  const key = file === null ? null : `${run} ${file.computer} ${file.path} ${base} ${revision}`;
  return useAnswer(key, async () => {
    if (file === null) return { path: '', before: null, after: null };
    const text = (number: number) => call('files.text', { run, ...file, revision: number });
    const [before, after] = await Promise.all([text(base), text(revision)]);
    return { path: file.path, before: before.text, after: after.text };
  });
}

/** The revision to open for a step: the newest one made at or before it, else the first. */
export function revisionAt(revisions: readonly FileRevision[], step: number): FileRevision | undefined {
  return revisions.findLast((revision) => revision.step <= step) ?? revisions[0];
}

/** The file to open for a step: one it changed, else the one changed last. */
export function fileAt(files: readonly FileView[], changed: readonly FileKey[]): FileKey | null {
  const own = changed.find((each) =>
    files.some((file) => file.computer === each.computer && file.path === each.path),
  );
  const newest = own ?? [...files].sort((a, b) => b.lastStep - a.lastStep)[0];
  return newest === undefined ? null : { computer: newest.computer, path: newest.path };
}
