import type { Failure } from '@shared/contract/errors';
import type { ImportProgress, ImportResult } from '@shared/contract/ipc/imports';
import { useEffect, useRef, useState } from 'react';
import { call, failureOf, listen } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FailureLine } from '../../components/FailureLine';
import { CheckLine } from '../../components/Field';
import { openRun } from '../../state/run/runs';
import { attempt, toast, toastFailure } from '../../state/toasts';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';

/** A log of another system becomes a run; afterwards it says what could not be taken over. */
export function ImportDialog({ onClose }: { onClose(): void }) {
  const text = useText();
  const words = text.importing;
  const [again, setAgain] = useState(false);
  const [working, setWorking] = useState(false);
  const progress = useImportProgress(working);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [done, setDone] = useState<ImportResult | null>(null);
  // An import continues when its dialog is closed.
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  async function choose(what: 'file' | 'folder'): Promise<void> {
    setWorking(true);
    setFailure(null);
    try {
      const result = await call('import.start', { format: 'researchgym', what, again });
      if (isOpen.current) setDone(result);
      else if (result !== null) sayImported(result);
    } catch (thrown) {
      if (isOpen.current) setFailure(failureOf(thrown));
      else toastFailure(thrown);
    } finally {
      setWorking(false);
    }
  }

  const frame = { title: words.title, closeLabel: text.common.close, width: 'small' as const, onClose };
  if (done !== null) {
    return (
      <Dialog
        {...frame}
        foot={
          <>
            <span className="space" />
            <Button
              look="primary"
              data-autofocus
              onClick={() => {
                onClose();
                attempt(() => openRun(done.run));
              }}
            >
              {words.open}
            </Button>
          </>
        }
      >
        <h3 className="strong">{done.title}</h3>
        <p>{words.done(done.steps, done.segments, done.hints)}</p>
        {done.left.length > 0 && (
          <>
            <h4 className="text-12 quiet">{words.left}</h4>
            <ul className="import-left text-12">
              {done.left.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </>
        )}
      </Dialog>
    );
  }
  return (
    <Dialog
      {...frame}
      foot={
        <>
          <span className="space" />
          {progress !== null && (
            <Button onClick={() => attempt(() => call('import.cancel'))}>{words.cancel}</Button>
          )}
          <Button disabled={working} onClick={() => attempt(() => choose('file'))}>
            {words.file}
          </Button>
          <Button
            look="primary"
            data-autofocus
            disabled={working}
            onClick={() => attempt(() => choose('folder'))}
          >
            {words.folder}
          </Button>
        </>
      }
    >
      <p className="import-intro">{words.intro}</p>
      <CheckLine checked={again} onChange={setAgain} label={words.again} />
      {progress !== null && <p role="status">{progressWords(progress, text)}</p>}
      {failure !== null && <FailureLine failure={failure} />}
    </Dialog>
  );
}

/** For an import that ended after its dialog was closed. */
function sayImported({ run, title, steps, left }: ImportResult): void {
  toast((text) => text.importing.imported(title, steps, left.length === 0), {
    say: (text) => text.importing.open,
    run: () => attempt(() => openRun(run)),
  });
}

/** How far the import is; null while there is none, also as long as a file is being chosen. */
function useImportProgress(working: boolean): ImportProgress | null {
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  useEffect(() => {
    setProgress(null);
    return working ? listen('import.progress', setProgress) : undefined;
  }, [working]);
  return progress;
}

function progressWords(progress: ImportProgress, { importing: words, common }: Text): string {
  return progress.stage === 'reading'
    ? words.reading(progress.files, common.format.bytes(progress.bytes))
    : words.storing(Math.floor((100 * progress.events) / progress.of));
}
