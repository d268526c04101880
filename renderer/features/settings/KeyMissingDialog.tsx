import type { RunSummary } from '@shared/contract/views';
import { useEffect, useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { LineField } from '../../components/LineField';
import { useSettings } from '../../state/settings';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { loadKeys, setKey, useKeys } from './keys';
import { PassphraseForm } from './PassphraseForm';

export interface KeyMissingDialogProps {
  run: RunSummary;
  onClose: () => void;
}

/** A run rests because its model's key is missing: unlock the keys or give it, and go on. */
export function KeyMissingDialog({ run, onClose }: KeyMissingDialogProps) {
  const text = useText();
  const words = text.keys;
  const keeping = useKeys((state) => state.keeping);
  const variable = useSettings(
    (state) => state.settings?.endpoints.find((each) => each.name === run.endpoint)?.keyEnv ?? '',
  );
  const [key, setTyped] = useState('');
  const known = keeping?.endpoints.includes(run.endpoint) === true;
  const locked = !known && keeping?.kept === 'locked';
  useEffect(() => attempt(loadKeys), []);

  function resume(): void {
    onClose();
    attempt(() => call('runs.resume', { run: run.id }));
  }
  function give(): void {
    if (key === '') return;
    attempt(async () => {
      const kept = await setKey(run.endpoint, key);
      toast((now) => now.settings.keyKept(kept));
      resume();
    });
  }
  const foot = (
    <>
      <span className="space" />
      <Button onClick={onClose}>{text.common.cancel}</Button>
      {known && (
        <Button look="primary" onClick={resume}>
          {words.resume}
        </Button>
      )}
      {!known && (
        <Button look="primary" disabled={key === ''} onClick={give}>
          {words.giveAndResume}
        </Button>
      )}
    </>
  );
  return (
    <Dialog
      title={words.missingTitle(run.endpoint)}
      closeLabel={text.common.cancel}
      width="small"
      onClose={onClose}
      {...(locked ? {} : { foot })}
    >
      <p className="soft dialog-lead">{words.missingText}</p>
      {keeping !== null && <p className="text-12 quiet dialog-lead">{words.keptIn(keeping.kept)}</p>}
      {known ? (
        <p>{words.isKnown}</p>
      ) : locked ? (
        <PassphraseForm
          beginning={false}
          verb={words.unlockAndResume}
          onCancel={onClose}
          onUnlocked={() => {
            if (useKeys.getState().keeping?.endpoints.includes(run.endpoint)) resume();
          }}
        />
      ) : (
        <>
          {variable !== '' && <p className="text-12 dialog-lead">{words.fromVariable(variable)}</p>}
          <form
            onSubmit={(event) => {
              event.preventDefault();
              give();
            }}
          >
            <LineField
              secret
              label={words.keyOf(run.endpoint)}
              help={words.keyHelp}
              value={key}
              onValue={setTyped}
            />
          </form>
        </>
      )}
    </Dialog>
  );
}
