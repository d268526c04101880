import { useEffect } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { loadKeys, lockKeys, useKeys } from './keys';
import { PassphraseForm } from './PassphraseForm';

/** Where model keys are kept; unlocks them, locks them, or begins to keep them where there is no key store. */
export function KeyKeepingPanel() {
  const words = useText().keys;
  const keeping = useKeys((state) => state.keeping);
  useEffect(() => attempt(loadKeys), []);
  if (keeping === null) return null;
  return (
    <section className="key-keeping" aria-label={words.kept}>
      <h3 className="sheet-title">{words.kept}</h3>
      <p className="row text-12">
        <Icon name={keeping.kept === 'locked' ? 'lock' : 'key'} small />
        <span>
          {words.keptIn(keeping.kept)}{' '}
          {keeping.kept !== 'locked' && (
            <span className="quiet">{words.known(keeping.endpoints.join(', '))}</span>
          )}
        </span>
        <span className="space" />
        {keeping.kept === 'file' && (
          <Button
            small
            icon="lock"
            onClick={() =>
              attempt(async () => {
                await lockKeys();
                toast((now) => now.keys.locked);
              })
            }
          >
            {words.lock}
          </Button>
        )}
      </p>
      {keeping.kept === 'locked' && <PassphraseForm beginning={false} />}
      {keeping.kept === 'memory' && <PassphraseForm beginning />}
    </section>
  );
}
