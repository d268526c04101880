import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { runCommand } from '../../state/keys/commands';
import type { Toast } from '../../state/toasts';
import { attempt, dismissToast, useToasts } from '../../state/toasts';
import { useText } from '../../text/language';
import { undo } from '../labels/label-undo';
import { CopyDetails } from '../panes/CopyDetails';
import { CommandKeys } from '../shortcuts/CommandKeys';

const SHOWN_MS = 6000;

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <div className="toasts" role="status">
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** A plain toast goes after six seconds unless it is hovered or focused; a failure stays. */
function ToastLine({ toast }: { toast: Toast }) {
  const text = useText();
  const [held, setHeld] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (held || toast.tone === 'danger') return;
    const timer = setTimeout(() => dismissToast(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [held, toast]);
  const { button, detail } = toast;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only holds the toast, it is no control
    <div
      ref={box}
      className={`toast toast-${toast.tone}`}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {toast.tone === 'danger' && <Icon name="warning" />}
      <span className="toast-text">{toast.say(text)}</span>
      {button !== undefined && (
        <Button
          look="ghost"
          small
          {...(button.command === undefined ? {} : { keys: <CommandKeys command={button.command} /> })}
          onClick={() => {
            dismissToast(toast.id);
            if (button.command === undefined) button.run();
            else if (button.entry === undefined) runCommand(button.command);
            else attempt(() => undo('undo', button.entry));
          }}
        >
          {button.say(text)}
        </Button>
      )}
      {detail !== undefined && <CopyDetails details={detail} />}
      <IconButton icon="close" small label={text.common.dismiss} onClick={() => dismissToast(toast.id)} />
    </div>
  );
}
