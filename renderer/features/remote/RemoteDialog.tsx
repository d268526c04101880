import type { Failure } from '@shared/contract/errors';
import { useState } from 'react';
import { failureOf } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { Button } from '../../components/Button';
import { FormLine, Select, TextField } from '../../components/Field';
import { Icon } from '../../components/Icon';
import { MissingDialog } from '../../components/MissingDialog';
import { addComputerPage, useComputers } from '../../state/computers';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import type { RemotePlace } from './remote';
import { askRemote, closeRemote, lastPlace, openRemote, useRemote } from './remote';

/** Opens a workspace that a computer drives by itself, and leads back to the one on this machine. */
export function RemoteDialog() {
  const text = useText();
  const words = text.remote;
  const rows = useComputers((state) => state.rows);
  const status = useRemote((state) => state.status);
  const [place, setPlace] = useState<RemotePlace>(() => {
    const last = lastPlace();
    const known = rows.some(({ alias }) => alias === last.alias);
    return { ...last, alias: known ? last.alias : (rows[0]?.alias ?? '') };
  });
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const close = () => askRemote(false);
  const change = (part: Partial<RemotePlace>) => setPlace((before) => ({ ...before, ...part }));
  const ready = place.alias !== '' && place.command.trim() !== '' && !working;

  async function open(): Promise<void> {
    if (!ready) return;
    setWorking(true);
    setFailure(null);
    try {
      await openRemote(place);
      close();
    } catch (thrown) {
      setFailure(failureOf(thrown));
    } finally {
      setWorking(false);
    }
  }
  if (rows.length === 0) {
    return (
      <MissingDialog
        title={words.title}
        icon="chip"
        missing={words.noComputers}
        why={words.noComputersText}
        action={words.addComputer}
        onAct={() => {
          close();
          addComputerPage();
        }}
        onClose={close}
      />
    );
  }
  return (
    <ActionDialog
      title={words.title}
      closeLabel={text.common.close}
      onClose={close}
      label={working ? words.connecting : words.connect}
      disabled={!ready}
      note={
        status !== null && (
          <Button
            onClick={() => {
              close();
              attempt(closeRemote);
            }}
          >
            {words.back}
          </Button>
        )
      }
      onDo={() => attempt(open)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt(open);
        }}
      >
        <p className="remote-lead soft">{words.lead}</p>
        {status !== null && (
          <p className="remote-now text-12">
            <Icon name="globe" small /> <b>{words.now(status.alias)}</b>{' '}
            <span className="mono-12 quiet">{status.folder}</span>{' '}
            {status.version !== null && <span className="quiet">{words.version(status.version)}</span>}
          </p>
        )}
        <FormLine label={words.host} help={words.hostHelp}>
          {({ id, describedBy }) => (
            <Select
              id={id}
              aria-describedby={describedBy}
              data-autofocus
              value={place.alias}
              options={rows.map(({ alias }) => ({ value: alias, label: alias }))}
              onChoose={(alias) => change({ alias })}
            />
          )}
        </FormLine>
        <FormLine label={words.folder} help={words.folderHelp}>
          {({ id, describedBy }) => (
            <TextField
              id={id}
              aria-describedby={describedBy}
              className="mono-12"
              placeholder={words.folderPlaceholder}
              value={place.folder}
              onChange={(event) => change({ folder: event.target.value })}
            />
          )}
        </FormLine>
        <FormLine label={words.command} help={words.commandHelp}>
          {({ id, describedBy }) => (
            <TextField
              id={id}
              aria-describedby={describedBy}
              className="mono-12"
              value={place.command}
              onChange={(event) => change({ command: event.target.value })}
            />
          )}
        </FormLine>
        {failure !== null && (
          <p className="remote-failure text-12" role="alert">
            <Icon name="warning" small />
            <span>{failure.message}</span>
          </p>
        )}
        <button type="submit" hidden disabled={!ready} />
      </form>
    </ActionDialog>
  );
}
