import { countChangedLines } from '@shared/base/line-diff';
import { useEffect, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useDetail } from '../../state/run/detail';
import { useText } from '../../text/language';
import { StepLink } from '../labels/StepLinks';
import { Comparison, type DiffLayout } from './Comparison';
import { FileList } from './FileList';
import {
  chooseFile,
  type FileKey,
  fileAt,
  isAbout,
  REVISIONS_PAGE,
  shortPath,
  type UnrecordedEdit,
  unrecordedEdits,
  useContents,
  useCounts,
  useFileChoice,
  useFiles,
  useRevisions,
} from './file-history';
import './files.css';
import { FailureLine } from '../../components/FailureLine';
import { RevisionStrip, wordsOf } from './RevisionStrip';
import { UnrecordedChange } from './UnrecordedChange';

export interface FilesViewProps {
  run: string;
  step: number;
  /** Opened at one file's history (B) instead of the step's own diff. */
  history: boolean;
}

/** What became of each file: its revisions as a strip linked to steps, and the diff of one against any other. */
export function FilesView({ run, step, history }: FilesViewProps) {
  const words = useText();
  const text = words.files;
  const newest = useFiles(run, '', 0);
  const detail = useDetail(run, step);
  const choice = useFileChoice(run, step);
  const [layout, setLayout] = useState<DiffLayout>(() => (roomy() ? 'sides' : 'inline'));
  const [listed, setListed] = useState(false);
  const [shifted, setShifted] = useState<number | null>(null);
  const unrecorded = detail === undefined ? [] : unrecordedEdits(detail);
  const changed: FileKey[] = [...(detail?.files ?? []), ...unrecorded];
  // Before the step is known, nothing is shown that it may have nothing to do with.
  const file =
    choice.file ?? (newest === null || detail === undefined ? null : fileAt(newest.files, changed));
  // The strip stands where the step is, or at the end, or where it was moved to.
  const page = useRevisions(run, file, shifted !== null ? { revision: shifted } : history ? null : { step });
  const revisions = page?.revisions ?? [];
  const place = history ? null : { step };
  const answer = useRevisions(run, file, place);
  const settled = isAbout(answer, place) ? answer : null;
  const revision = choice.revision ?? settled?.chosen ?? 0;
  const from = choice.base ?? Math.max(0, revision - 1);
  const counts = useCounts(run, file, revisions);
  const { pair: contents, failure } = useContents(
    run,
    settled === null || settled.total === 0 ? null : file,
    from,
    revision,
  );
  const current = revisions.find((each) => each.revision === revision);
  // No revision is this step's, so none is shown in place of it; another one is there to be chosen.
  const edit =
    choice.revision !== null || choice.base !== null || (history && settled?.total !== 0)
      ? undefined
      : unrecorded.find(({ path }) => path === file?.path);
  const choose = (next: FileKey | null, number: number | null, base: number | null) =>
    chooseFile(run, step, { file: next, revision: number, base });
  // Another file or step has a strip of its own.
  // biome-ignore lint/correctness/useExhaustiveDependencies: file and step are the reasons to reset
  useEffect(() => setShifted(null), [run, step, file?.computer, file?.path]);

  if (newest !== null && newest.total === 0 && detail !== undefined && changed.length === 0)
    return <Empty icon="file" title={text.emptyTitle} text={text.emptyText} />;
  if (newest === null || file === null) return null;
  const lines = edit === undefined ? counts.get(revision) : toldLines(edit);
  return (
    <section className="files" aria-label={text.title}>
      <div className="files-body">
        {listed && (
          <FileList run={run} chosen={file} changed={changed} onChoose={(next) => choose(next, null, null)} />
        )}
        <div className="files-main">
          <header className="files-head">
            <Button small icon="list" aria-expanded={listed} onClick={() => setListed(!listed)}>
              {text.count(words.common.format.count(newest.total))}
            </Button>
            <h3 className="mono-12 cut files-name" title={`${file.computer}: ${file.path}`}>
              {shortPath(file.path, run)}
            </h3>
            <span className="space" />
            <span className="text-12 tabular files-what">
              {edit === undefined && current !== undefined && wordsOf(current, text)}{' '}
              {lines != null && text.changed(lines.added, lines.removed)}
            </span>
            <Segmented<DiffLayout>
              label={text.layout}
              items={[
                { id: 'inline', label: text.inline },
                { id: 'sides', label: text.sideBySide },
              ]}
              chosen={layout}
              onChoose={setLayout}
            />
          </header>
          {changed.length > 1 && (
            <OfStep run={run} files={changed} chosen={file} onChoose={(next) => choose(next, null, null)} />
          )}
          {page?.total !== 0 && (
            <div className="strip-row">
              {page !== null && page.first > 1 && (
                <IconButton
                  small
                  icon="left"
                  label={text.earlier}
                  onClick={() => setShifted(Math.max(1, page.first - REVISIONS_PAGE / 2))}
                />
              )}
              <RevisionStrip
                revisions={revisions}
                counts={counts}
                chosen={edit === undefined ? revision : -1}
                base={edit === undefined ? from : -1}
                withOriginal={page !== null && page.total > 0 && page.first <= 1}
                onChoose={(number) => choose(file, number, null)}
                onCompare={(number) => choose(file, revision, number === revision ? null : number)}
              />
              {page !== null && page.first + revisions.length <= page.total && (
                <IconButton
                  small
                  icon="right"
                  label={text.later}
                  onClick={() =>
                    setShifted(Math.min(page.total, page.first + revisions.length + REVISIONS_PAGE / 2))
                  }
                />
              )}
            </div>
          )}
          {edit !== undefined ? (
            <UnrecordedChange edit={edit} layout={layout} />
          ) : (
            <p className="files-compared text-12 quiet">
              {!history && choice.revision === null && changed.length === 0 && (
                <b className="strong">{text.noChangeAt(step)}</b>
              )}
              {settled !== null && text.comparing(from, revision)}
              {current !== undefined && (
                <>
                  {' · '}
                  {current.by === 'shell' ? text.byShellAt : text.byActionAt}
                  <StepLink step={current.step} />
                  {current.inheritedFrom !== null && text.inherited}
                </>
              )}
            </p>
          )}
          {edit === undefined && failure !== null && <FailureLine failure={failure} />}
          {edit === undefined && contents !== null && failure === null && (
            <Comparison
              path={file.path}
              before={contents.before}
              after={contents.after}
              layout={layout}
              label={text.diffOf(file.path, from, revision)}
            />
          )}
        </div>
      </div>
    </section>
  );
}

/** Two sides need some room; who wants them without it chooses them. */
function roomy(): boolean {
  return window.matchMedia('(min-width: 1500px)').matches;
}

/** Lines of all that the actions reported; undefined where they reported none. */
function toldLines({ told }: UnrecordedEdit): { added: number; removed: number } | undefined {
  if (told.length === 0) return undefined;
  const counts = told.map(({ removed, added }) => countChangedLines(removed, added));
  return counts.reduce((sum, each) => ({
    added: sum.added + each.added,
    removed: sum.removed + each.removed,
  }));
}

interface OfStepProps {
  run: string;
  files: readonly FileKey[];
  chosen: FileKey;
  onChoose: (file: FileKey) => void;
}

/** The files the step changed, when there are several. */
function OfStep({ run, files, chosen, onChoose }: OfStepProps) {
  const text = useText().files;
  const unique = [...new Map(files.map((file) => [`${file.computer} ${file.path}`, file])).values()];
  return (
    <fieldset className="files-of-step" aria-label={text.ofStep}>
      {unique.slice(0, 40).map((file) => (
        <button
          key={`${file.computer} ${file.path}`}
          type="button"
          className="mono-11"
          aria-pressed={file.path === chosen.path && file.computer === chosen.computer}
          title={file.path}
          onClick={() => onChoose({ computer: file.computer, path: file.path })}
        >
          {shortPath(file.path, run)}
        </button>
      ))}
      {unique.length > 40 && <span className="text-11 quiet">{text.andMore(unique.length - 40)}</span>}
    </fieldset>
  );
}
