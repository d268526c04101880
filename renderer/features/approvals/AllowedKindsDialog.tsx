import type { Failure } from '@shared/contract/errors';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { FailureLine } from '../../components/FailureLine';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { takeBack } from './approvals';

/** What runs unasked in a run because a person allowed its kind; each can be taken back. */
export function AllowedKindsDialog({ run, onClose }: { run: string; onClose: () => void }) {
  const text = useText();
  const words = text.approvals;
  const [kinds, setKinds] = useState<string[] | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => {
    call('runs.allowedKinds', { run }).then(setKinds, (thrown: unknown) => setFailure(failureOf(thrown)));
  }, [run]);
  return (
    <Dialog title={words.kindsTitle} closeLabel={text.common.close} width="small" onClose={onClose}>
      {failure !== null ? (
        <FailureLine failure={failure} />
      ) : (
        <p className="soft text-12 dialog-lead">
          {kinds === null ? text.common.loading : kinds.length === 0 ? words.noKinds : words.kindsText}
        </p>
      )}
      <ul className="allowed-kinds">
        {kinds?.map((kind) => (
          <li key={kind}>
            <span>{kind}</span>
            <Button
              small
              onClick={() =>
                attempt(async () => {
                  await takeBack(run, [kind]);
                  setKinds(await call('runs.allowedKinds', { run }));
                })
              }
            >
              {words.takeBack}
            </Button>
          </li>
        ))}
      </ul>
      <p className="soft text-12">{words.aid}</p>
    </Dialog>
  );
}
