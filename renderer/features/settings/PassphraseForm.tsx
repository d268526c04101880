import { useState } from 'react';
import { failureOf } from '../../api';
import { Button } from '../../components/Button';
import { toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { unlockKeys } from './keys';
import './settings.css';
import { LineField } from '../../components/LineField';

export interface PassphraseFormProps {
  /** There is no file of keys yet: the passphrase is chosen, and typed twice. */
  beginning: boolean;
  /** In place of the usual words on the button. */
  verb?: string;
  onUnlocked?: () => void;
  /** Leaves the form; without it there is no such button. */
  onCancel?: () => void;
}

/** Opens the file of keys, or begins one. The passphrase leaves the window at once and is not kept in it. */
export function PassphraseForm({ beginning, verb, onUnlocked, onCancel }: PassphraseFormProps) {
  const text = useText();
  const words = text.keys;
  const [passphrase, setPassphrase] = useState('');
  const [repeated, setRepeated] = useState('');
  const [failure, setFailure] = useState<string | null>(null);
  const [working, setWorking] = useState(false);
  const differ = beginning && repeated !== '' && repeated !== passphrase;
  const ready = passphrase !== '' && (!beginning || repeated === passphrase) && !working;

  async function unlock(): Promise<void> {
    if (!ready) return;
    setWorking(true);
    setFailure(null);
    try {
      await unlockKeys(passphrase);
      setPassphrase('');
      setRepeated('');
      toast((now) => now.keys.unlocked);
      onUnlocked?.();
    } catch (thrown) {
      setFailure(failureOf(thrown).message);
    } finally {
      setWorking(false);
    }
  }
  return (
    <form
      className="passphrase-form"
      onSubmit={(event) => {
        event.preventDefault();
        void unlock();
      }}
    >
      <LineField
        secret
        label={beginning ? words.newPassphrase : words.passphrase}
        help={beginning ? words.beginHelp : undefined}
        error={failure}
        value={passphrase}
        onValue={setPassphrase}
      />
      {beginning && (
        <LineField
          secret
          label={words.repeat}
          error={differ ? words.differ : null}
          value={repeated}
          onValue={setRepeated}
        />
      )}
      <div className="row passphrase-foot">
        <span className="space" />
        {onCancel !== undefined && <Button onClick={onCancel}>{text.common.cancel}</Button>}
        <Button type="submit" look={verb === undefined ? 'plain' : 'primary'} disabled={!ready}>
          {verb ?? (beginning ? words.begin : words.unlock)}
        </Button>
      </div>
    </form>
  );
}
