import type { BackupRow, RestoredRun, RestoreReport } from '@shared/contract/ipc/restore';
import { useId, useState } from 'react';
import { ActionDialog } from '../../components/ActionDialog';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Icon } from '../../components/Icon';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { closeRestore, restoreFrom, useRestore } from './restore';
import './restore.css';

/** Brings back what a damaged data folder still holds, into a new one. */
export function RestoreDialog() {
  const choice = useRestore((state) => state.choice);
  const done = useRestore((state) => state.done);
  if (done !== null) return <Restored report={done} />;
  return choice === null ? null : <Choice {...choice} />;
}

function Choice({ folder, backups }: { folder: string; backups: BackupRow[] }) {
  const { restore: words, common } = useText();
  const working = useRestore((state) => state.working);
  const readable = backups.filter(({ problem }) => problem === null);
  const [chosen, setChosen] = useState(readable[0]?.name ?? null);
  return (
    <ActionDialog
      title={words.title}
      closeLabel={common.close}
      onClose={closeRestore}
      label={working ? words.working : words.action}
      disabled={working}
      onDo={() => attempt(() => restoreFrom(chosen))}
    >
      <p>{words.lead}</p>
      <p className="mono-12 quiet">{folder}</p>
      {backups.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <fieldset className="backups" aria-label={words.backups}>
          {backups.map((row) => (
            <Backup
              key={row.name}
              row={row}
              chosen={row.name === chosen}
              onChoose={() => setChosen(row.name)}
            />
          ))}
        </fieldset>
      )}
    </ActionDialog>
  );
}

interface BackupProps {
  row: BackupRow;
  chosen: boolean;
  onChoose: () => void;
}

function Backup({ row: { name, at, contents, problem }, chosen, onChoose }: BackupProps) {
  const { restore: words, common } = useText();
  const id = useId();
  const { stamp } = common.format;
  return (
    <div className="check-line">
      <input
        id={id}
        name="backup"
        type="radio"
        className="radio"
        value={name}
        checked={chosen}
        disabled={problem !== null}
        onChange={onChoose}
      />
      <label htmlFor={id}>
        <span className="tabular">{stamp(at)}</span>{' '}
        {contents === null ? (
          <span className="quiet">
            <Icon name="warning" className="tone-attention" /> {problem}
          </span>
        ) : (
          <span className="quiet">
            {words.contents(contents.labels, contents.hints, contents.runs)}
            {contents.people.length > 0 && `, ${words.by(common.list(contents.people))}`}
          </span>
        )}
      </label>
    </div>
  );
}

function Restored({ report }: { report: RestoreReport }) {
  const { restore: words, common } = useText();
  const { count } = common.format;
  return (
    <Dialog
      title={words.done}
      closeLabel={common.close}
      onClose={closeRestore}
      foot={
        <>
          <span className="space" />
          <Button look="primary" data-autofocus onClick={closeRestore}>
            {common.close}
          </Button>
        </>
      }
    >
      <dl className="facts-list">
        <dt>{words.folder}</dt>
        <dd className="mono-12">{report.folder}</dd>
        <dt>{words.labels}</dt>
        <dd className="tabular">{count(report.labels)}</dd>
        <dt>{words.hints}</dt>
        <dd className="tabular">{count(report.hints)}</dd>
      </dl>
      <ul className="restored" aria-label={words.runs}>
        {report.runs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </ul>
      {report.notes.length > 0 && (
        <>
          <h3>{words.rest}</h3>
          <Notes notes={report.notes} />
        </>
      )}
      {report.remarks.length > 0 && (
        <>
          <h3>{words.remarks}</h3>
          <Notes notes={report.remarks} />
        </>
      )}
    </Dialog>
  );
}

function Run({ run: { title, state, steps, labels, notes } }: { run: RestoredRun }) {
  const { restore: words } = useText();
  const said = {
    log: words.log(steps, labels),
    lost: words.lost(labels),
    removed: words.removed,
  };
  return (
    <li>
      <b>{title === '' ? words.untitled : title}</b> <span>{said[state]}</span>
      <Notes notes={notes} />
    </li>
  );
}

function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="quiet text-12">
      {[...new Set(notes)].map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
