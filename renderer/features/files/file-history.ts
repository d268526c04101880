import type { Failure } from '@shared/contract/errors';
import type { FileContent, FilePage, FileRevision, RevisionPage } from '@shared/contract/file-views';
import type { StepDetail } from '@shared/contract/views';
import { type ToldEdit, toldEdit } from '@shared/runs/told-edit';
import { useEffect, useMemo, useState } from 'react';
import { create } from 'zustand';
import { call } from '../../api';
import { useKept, useNewest } from '../../state/answers';
import { useTimeline } from '../../state/run/timeline';
import { toastFailure } from '../../state/toasts';
import { setTab, useView } from '../../state/view';

export interface FileKey {
  computer: string;
  path: string;
}

/** Files asked for at a time, and revisions. */
export const FILES_PAGE = 200;
export const REVISIONS_PAGE = 60;

export interface FileChoice {
  file: FileKey | null;
  /** Null: what was in force at the step. */
  revision: number | null;
  /** Null: the revision before. */
  base: number | null;
}

const nothing: FileChoice = { file: null, revision: null, base: null };

/** What was chosen to look at, and the step it was chosen at: another step is another question. */
const useChoices = create<{ at: string; choice: FileChoice }>()(() => ({ at: '', choice: nothing }));

export function useFileChoice(run: string, step: number): FileChoice {
  return useChoices(({ at, choice }) => (at === `${run}/${step}` ? choice : nothing));
}

export function chooseFile(run: string, step: number, choice: FileChoice): void {
  useChoices.setState({ at: `${run}/${step}`, choice });
}

/** Opens the file tab at one file. */
export function openFile(run: string, step: number, file: FileKey, revision: number | null): void {
  chooseFile(run, step, { file, revision, base: null });
  useView.setState({ fileHistory: false });
  setTab('files');
}

/** A page of the files that changed, read again as the run grows. */
export function useFiles(run: string, filter: string, offset: number): FilePage | null {
  const steps = useTimeline((state) => state.steps);
  return useNewest('files.list', { run, filter, offset, limit: FILES_PAGE }, steps)?.value ?? null;
}

/** Revisions of a file, and the place that was asked about. */
interface RevisionAnswer extends RevisionPage {
  file: FileKey;
  at: RevisionPlace;
}

/**
 * The revisions around a step or a number; null = the last ones. An answer about another file is not given; one about
 * another place is, until the new one is there: see `isAbout`.
 */
export function useRevisions(run: string, file: FileKey | null, at: RevisionPlace): RevisionAnswer | null {
  const steps = useTimeline((state) => state.steps);
  const { computer, path } = file ?? { computer: null, path: null };
  const page = useNewest(
    'files.revisions',
    file === null ? null : { run, ...file, at, limit: REVISIONS_PAGE },
    steps,
  );
  return useMemo(() => {
    if (page === null || page.input.path !== path || page.input.computer !== computer) return null;
    return { ...page.value, file: { computer, path }, at: page.input.at };
  }, [page, computer, path]);
}

/** What was asked for: the revision in force at a step, one by its number, or the last one. */
export type RevisionPlace = { step: number } | { revision: number } | null;

/** Whether the answer is about this place, and not one from before the cursor moved. */
export function isAbout(answer: RevisionAnswer | null, at: RevisionPlace): answer is RevisionAnswer {
  return answer !== null && JSON.stringify(answer.at) === JSON.stringify(at);
}

export type Counts = ReadonlyMap<number, { added: number; removed: number } | null>;

const noCounts: Counts = new Map();

/** Lines added and removed per revision, counted bit by bit for as long as they are looked at. */
export function useCounts(run: string, file: FileKey | null, revisions: readonly FileRevision[]): Counts {
  const [counts, setCounts] = useState<{ key: string; counts: Counts }>({ key: '', counts: noCounts });
  const numbers = revisions.map(({ revision }) => revision).join(',');
  const key = file === null ? '' : `${run} ${file.computer} ${file.path}`;
  useEffect(() => {
    if (key === '' || numbers === '') return;
    let current = true;
    const [, computer = '', ...rest] = key.split(' ');
    const ask = async () => {
      const left = numbers.split(',').map(Number);
      while (current && left.length > 0) {
        const answer = await call('files.counts', { run, computer, path: rest.join(' '), revisions: left });
        if (!current || answer.length === 0) return;
        left.splice(0, answer.length);
        setCounts((before) => ({
          key,
          counts: new Map([
            ...(before.key === key ? before.counts : noCounts),
            ...answer.map(({ revision, counts: each }) => [revision, each] as const),
          ]),
        }));
      }
    };
    ask().catch((thrown: unknown) => {
      if (current) toastFailure(thrown);
    });
    return () => {
      current = false;
    };
  }, [run, key, numbers]);
  return counts.key === key ? counts.counts : noCounts;
}

export interface ContentPair {
  key: string;
  before: FileContent;
  after: FileContent;
}

/** The file at two revisions, or why one of them cannot be read. An answer about another pair is not given. */
export function useContents(
  run: string,
  file: FileKey | null,
  base: number,
  revision: number,
): { pair: ContentPair | null; failure: Failure | null } {
  const { content: before, failure: noBefore } = useContent(run, file, base);
  const { content: after, failure: noAfter } = useContent(run, file, revision);
  const key = file === null ? '' : `${run} ${file.computer} ${file.path} ${base} ${revision}`;
  const pair = useMemo(
    () => (before === null || after === null ? null : { key, before, after }),
    [key, before, after],
  );
  return { pair, failure: noBefore ?? noAfter };
}

function useContent(
  run: string,
  file: FileKey | null,
  revision: number,
): { content: FileContent | null; failure: Failure | null } {
  const asked = file === null ? null : { run, computer: file.computer, path: file.path, revision };
  const { answer, failure } = useKept('files.text', asked);
  const { input, value } = answer ?? {};
  const fits = input?.revision === revision && input.path === file?.path && input.computer === file?.computer;
  return { content: fits ? (value ?? null) : null, failure };
}

/** The file to open for a step: one it changed, else the one changed last. */
export function fileAt(newest: readonly FileKey[], changed: readonly FileKey[]): FileKey | null {
  const found = changed[0] ?? newest[0];
  return found === undefined ? null : { computer: found.computer, path: found.path };
}

/** A file that the step changed and whose text the log does not hold, with what the actions told of the change. */
export interface UnrecordedEdit extends FileKey {
  told: ToldEdit[];
}

const writers = new Set(['edit_file', 'create_file']);

/** Files that actions of the step wrote without a revision in the log, as in imported runs. */
export function unrecordedEdits({ files, observations }: StepDetail): UnrecordedEdit[] {
  const recorded = new Set(files.map(({ path }) => path));
  const edits = new Map<string, UnrecordedEdit>();
  for (const observation of observations) {
    const { name, ok, data } = observation;
    if (ok !== true || !writers.has(name) || typeof data.path !== 'string' || recorded.has(data.path))
      continue;
    const edit = edits.get(data.path) ?? { computer: '', path: data.path, told: [] };
    const told = toldEdit(observation);
    edits.set(data.path, told === null ? edit : { ...edit, told: [...edit.told, told] });
  }
  return [...edits.values()];
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A path inside the run's workspace without the part that every path of the run has. */
export function shortPath(path: string, run: string): string {
  return path.split(`/${run}/work/`)[1] ?? path;
}
