import type { FileRevision } from '@shared/views';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Empty } from '../../components/Empty';
import { Select } from '../../components/Field';
import { Segmented } from '../../components/Tabs';
import { useDetail } from '../../state/detail';
import { moveCursor } from '../../state/timeline';
import { useText } from '../../text/language';
import type { FileKey } from './file-history';
import { fileAt, revisionAt, useFiles, useRevisions, useTexts } from './file-history';
import './files.css';

const DiffPane = lazy(async () => ({ default: (await import('./DiffPane')).DiffPane }));

export interface FilesViewProps {
  run: string;
  step: number;
  /** Opened at one file's history (B) instead of the step's own diff. */
  history: boolean;
}

type Layout = 'sides' | 'inline';

/** What became of each file: its revisions as a strip linked to steps, and the diff of one against any other. */
export function FilesView({ run, step, history }: FilesViewProps) {
  const words = useText();
  const text = words.files;
  const files = useFiles(run);
  const detail = useDetail(run, step);
  const [chosen, setChosen] = useState<FileKey | null>(null);
  const [pinned, setPinned] = useState<number | null>(null);
  const [base, setBase] = useState<number | null>(null);
  const [layout, setLayout] = useState<Layout>('sides');
  const file = chosen ?? fileAt(files ?? [], detail?.files ?? []);
  const own = files?.find((each) => each.computer === file?.computer && each.path === file?.path);
  const revisions = useRevisions(run, file, own?.revisions ?? 0) ?? [];
  const last = revisions.at(-1)?.revision;
  const revision = (history ? (pinned ?? last) : (pinned ?? revisionAt(revisions, step)?.revision)) ?? 0;
  const from = base ?? Math.max(0, revision - 1);
  const texts = useTexts(run, file, from, revision);
  const before = texts?.before ?? absent(revisions, from);
  const after = texts?.after ?? absent(revisions, revision);

  // Another step or run is another question: what was pinned for the last one no longer holds.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the step and the run are the reasons to reset
  useEffect(() => {
    setChosen(null);
    setPinned(null);
    setBase(null);
  }, [run, step]);

  if (files !== null && files.length === 0)
    return <Empty icon="file" title={text.emptyTitle} text={text.emptyText} />;
  if (files === null || file === null) return null;
  const key = (each: FileKey) => `${each.computer} ${each.path}`;
  const current = revisions.find((each) => each.revision === revision);
  return (
    <section className="files" aria-label={text.title}>
      <header className="files-head">
        <Select
          aria-label={text.file}
          value={key(file)}
          options={files.map((each) => ({ value: key(each), label: shortPath(each.path, run) }))}
          onChoose={(value) => {
            setChosen(files.find((each) => key(each) === value) ?? null);
            setPinned(null);
            setBase(null);
          }}
        />
        <Select
          small
          aria-label={text.comparedWith}
          value={String(from)}
          options={[0, ...revisions.map((each) => each.revision)]
            .filter((number) => number !== revision)
            .map((number) => ({
              value: String(number),
              label: number === 0 ? text.original : text.revision(number),
            }))}
          onChoose={(value) => setBase(Number(value))}
        />
        <span className="space" />
        {current !== undefined && (
          <span className="text-12 tabular">{text.changed(current.added, current.removed)}</span>
        )}
        <Segmented<Layout>
          label={text.layout}
          items={[
            { id: 'sides', label: text.sideBySide },
            { id: 'inline', label: text.inline },
          ]}
          chosen={layout}
          onChoose={setLayout}
        />
      </header>
      <RevisionStrip revisions={revisions} chosen={revision} onChoose={setPinned} />
      {texts !== null && before !== null && after !== null ? (
        <Suspense fallback={<p className="files-note quiet">{words.common.loading}</p>}>
          <DiffPane
            path={file.path}
            before={before}
            after={after}
            sideBySide={layout === 'sides'}
            label={text.diffOf(file.path, from, revision)}
          />
        </Suspense>
      ) : (
        texts !== null && (
          <Empty
            icon="file"
            title={text.noTextTitle}
            text={text.noText(words.common.format.bytes(current?.size ?? 0))}
          />
        )
      )}
    </section>
  );
}

/** '' where the file did not exist at a revision (0 = before the first change); null where it did, or is not known. */
function absent(revisions: readonly FileRevision[], revision: number): '' | null {
  const hash =
    revision === 0 ? revisions[0]?.before : revisions.find((each) => each.revision === revision)?.after;
  return hash === null ? '' : null;
}

/** A path inside the run's workspace without the part that every path of the run has. */
export function shortPath(path: string, run: string): string {
  return path.split(`/${run}/work/`)[1] ?? path;
}

interface RevisionStripProps {
  revisions: readonly FileRevision[];
  chosen: number;
  onChoose: (revision: number) => void;
}

function RevisionStrip({ revisions, chosen, onChoose }: RevisionStripProps) {
  const text = useText().files;
  const strip = useRef<HTMLFieldSetElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is brought into view
  useEffect(() => {
    strip.current
      ?.querySelector('[aria-pressed="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen, revisions.length]);
  return (
    <fieldset ref={strip} className="revision-strip" aria-label={text.revisions}>
      {revisions.map((each) => (
        <button
          key={each.revision}
          type="button"
          aria-pressed={each.revision === chosen}
          title={each.by === 'shell' ? text.throughShell(each.step) : text.byAction(each.step)}
          onClick={() => onChoose(each.revision)}
          onDoubleClick={() => moveCursor(each.step)}
        >
          <b className="tabular">{each.revision}</b>
          <span className="quiet tabular">{text.step(each.step)}</span>
        </button>
      ))}
    </fieldset>
  );
}
