import type { FileRevision } from '@shared/contract/file-views';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { FailureLine } from '../../components/FailureLine';
import { useText } from '../../text/language';
import { openFile, shortPath, useContents } from '../files/file-history';
import { DiffPane } from '../files/lazy-diff';
import { Section } from './Section';

/** Files the step changed, each with its lines and, when asked for, its diff. */
export function StepFiles({
  run,
  step,
  files,
}: {
  run: string;
  step: number;
  files: readonly FileRevision[];
}) {
  const words = useText();
  const text = words.files;
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Section name={words.detail.filesChanged}>
      <ul className="step-files">
        {files.map((file) => {
          const key = `${file.computer}:${file.path}:${file.revision}`;
          return (
            <li key={key}>
              <div className="row">
                <button
                  type="button"
                  className="link step-link mono-12 cut"
                  title={file.path}
                  onClick={() => openFile(run, step, file, file.revision)}
                >
                  {shortPath(file.path, run)}
                </button>
                <span className="text-12 tabular">{changeWords(file, text)}</span>
                <span className="text-12 quiet">{file.by === 'shell' ? text.byShell : ''}</span>
                <span className="space" />
                <Button
                  look="ghost"
                  small
                  icon="columns"
                  aria-expanded={open === key}
                  onClick={() => setOpen(open === key ? null : key)}
                >
                  {open === key ? text.hideChanges : text.showChanges}
                </Button>
              </div>
              {open === key && <StepDiff run={run} file={file} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function changeWords(file: FileRevision, text: ReturnType<typeof useText>['files']): string {
  if (file.movedTo !== null) return text.movedTo(file.movedTo);
  if (file.after === null) return text.deleted;
  if (file.added === null || file.removed === null) return text.notCounted;
  return text.changed(file.added, file.removed);
}

function StepDiff({ run, file }: { run: string; file: FileRevision }) {
  const words = useText();
  const text = words.files;
  const before = file.revision - 1;
  const { pair, failure } = useContents(run, file, before, file.revision);
  if (failure !== null) return <FailureLine failure={failure} />;
  if (pair === null) return <p className="files-note quiet">{words.common.loading}</p>;
  const left = pair.before.kind === 'absent' ? '' : pair.before.kind === 'text' ? pair.before.text : null;
  const right = pair.after.kind === 'absent' ? '' : pair.after.kind === 'text' ? pair.after.text : null;
  if (left === null || right === null) return <p className="files-note quiet">{text.noTextTitle}</p>;
  return (
    <div className="step-diff">
      <DiffPane
        waiting={<p className="files-note quiet">{words.common.loading}</p>}
        path={file.path}
        before={left}
        after={right}
        sideBySide={false}
        label={text.diffOf(file.path, before, file.revision)}
      />
    </div>
  );
}
