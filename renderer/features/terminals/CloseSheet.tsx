import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { closeNow, useOwnTerminals } from '../../state/own-terminals';
import { useText } from '../../text/language';

/** Asks before a terminal is closed in which something may still run. */
export function CloseSheet() {
  const text = useText();
  const words = text.terminals;
  const terminal = useOwnTerminals((state) => state.list.find(({ id }) => id === state.closing));
  if (terminal === undefined) return null;
  const close = () => useOwnTerminals.setState({ closing: null });
  const name = `${terminal.computer}:${terminal.name}`;
  return (
    <Dialog
      title={words.closeTitle}
      closeLabel={text.common.close}
      onClose={close}
      width="small"
      foot={
        <>
          <span className="space" />
          <Button data-autofocus onClick={close}>
            {text.common.cancel}
          </Button>
          <Button look="danger" onClick={() => closeNow(terminal.id)}>
            {words.closeNow}
          </Button>
        </>
      }
    >
      <p>{terminal.state === 'unknown' ? words.closeAway(name) : words.closeText(name)}</p>
    </Dialog>
  );
}
