import type { CheckpointSize, CheckpointView } from '@shared/contract/checkpoint-views';
import { hasEnded } from '@shared/runs/run-status';
import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { FormLine, TextField } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { useNow } from '../../components/useNow';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { closeBranchDialog, openBranchDialog } from './branches';

/** What was kept of a run, and the way to keep its state now; says how much that copies before it does. */
export function CheckpointsDialog({ run }: { run: string }) {
  const text = useText();
  const words = text.branches;
  const title = useRuns((state) => state.list.find(({ id }) => id === run)?.title ?? run.slice(-6));
  const made = useRuns((state) => state.list.find(({ id }) => id === run)?.checkpoints ?? 0);
  const ended = useRuns((state) => {
    const known = state.list.find(({ id }) => id === run);
    return known !== undefined && hasEnded(known.state);
  });
  const size = useAsked('checkpoints.size', { run });
  const list = useAsked('checkpoints.list', { run }, made);
  const [note, setNote] = useState('');
  const [making, setMaking] = useState(false);

  async function make(): Promise<void> {
    setMaking(true);
    try {
      await call('checkpoints.make', { run, note: note.trim() });
      setNote('');
      toast((now) => now.branches.asked);
      list.again();
    } finally {
      setMaking(false);
    }
  }
  return (
    <Dialog title={words.checkpointsOf(title)} closeLabel={text.common.close} onClose={closeBranchDialog}>
      {ended ? (
        <p className="checkpoint-make soft">{words.ended}</p>
      ) : (
        <section className="checkpoint-make" aria-label={words.makeTitle}>
          {size.failure !== null ? (
            <FailureLine failure={size.failure} />
          ) : (
            <p className="text-12">{size.value === null ? words.measuring : <Size size={size.value} />}</p>
          )}
          <div className="checkpoint-ask">
            <FormLine label={words.note}>
              {({ id }) => (
                <TextField
                  id={id}
                  value={note}
                  maxLength={200}
                  placeholder={words.notePlaceholder}
                  onChange={(event) => setNote(event.target.value)}
                />
              )}
            </FormLine>
            <Button look="primary" disabled={making || size.failure !== null} onClick={() => attempt(make)}>
              {making ? words.making : words.make}
            </Button>
          </div>
        </section>
      )}
      {list.failure !== null ? (
        <FailureLine failure={list.failure} />
      ) : list.value !== null && list.value.length === 0 ? (
        <Empty icon="disk" title={words.noneTitle} text={words.noneText} />
      ) : (
        <ul className="checkpoint-list">
          {[...(list.value ?? [])]
            .sort((a, b) => b.seq - a.seq)
            .map((checkpoint) => (
              <Checkpoint key={checkpoint.checkpoint} run={run} checkpoint={checkpoint} />
            ))}
        </ul>
      )}
    </Dialog>
  );
}

function Size({ size }: { size: CheckpointSize }) {
  const text = useText();
  const words = text.branches;
  const { format } = text.common;
  const short = size.freeBytes !== null && size.freeBytes < size.newBytes;
  return (
    <>
      <b className="tabular">{words.size(format.bytes(size.bytes), size.files)}</b>{' '}
      {size.newFiles > 0 && size.newFiles === size.files
        ? words.sizeAll
        : words.sizeNew(format.bytes(size.newBytes), size.newFiles)}{' '}
      {size.freeBytes !== null && (
        <span className={short ? 'tone-danger' : 'quiet'}>
          {words.free(format.bytes(size.freeBytes))}
          {short && ` ${words.freeShort}`}
        </span>
      )}
      {size.excluded.length > 0 && (
        <span className="checkpoint-excluded quiet mono-11">{words.excluded(size.excluded.join('  '))}</span>
      )}
    </>
  );
}

function Checkpoint({ run, checkpoint }: { run: string; checkpoint: CheckpointView }) {
  const text = useText();
  const words = text.branches;
  const { format } = text.common;
  const now = useNow(60_000);
  const { step, workspace, why, note, message } = checkpoint;
  return (
    <li>
      <Icon name="disk" small className={workspace === null ? 'tone-attention' : 'quiet'} />
      <div className="checkpoint-text">
        <p>
          <b className="tabular">{words.atStep(step)}</b>{' '}
          <span className="quiet">
            {text.common.list([text.timeline.checkpointWhy(why), format.when(checkpoint.at, now)])}
          </span>
        </p>
        <p className="text-12 quiet cut">
          {workspace === null
            ? `${words.noWorkspace}. ${message}`
            : words.copied(format.bytes(workspace.bytes), format.bytes(workspace.newBytes))}
          {note !== '' && <span className="soft">{` · ${note}`}</span>}
        </p>
      </div>
      <Button small icon="branch" onClick={() => openBranchDialog({ name: 'branch', run, step })}>
        {words.branchHere}
      </Button>
    </li>
  );
}
