import { Button } from '../components/Button';
import { Dialog } from '../components/Dialog';
import { useText } from '../text/language';
import { closeNow, useOwnView } from './view-state';

/** Asks before a terminal is closed in which something may still run. */
export function CloseSheet() {
  const text = useText();
  const words = text.terminals;
  const { shown, closing } = useOwnView();
  const { terminal } = shown;
  if (terminal === null || terminal.id !== closing) return null;
  const close = () => useOwnView.setState({ closing: null });
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
