import { useText } from '../text/language';
import { Dialog, type DialogProps } from './Dialog';
import { DialogFoot, type DialogFootProps } from './DialogFoot';

export interface ActionDialogProps
  extends Omit<DialogProps, 'closeLabel' | 'foot'>,
    Omit<DialogFootProps, 'onCancel'> {
  /** Default: as its button to cancel. */
  closeLabel?: string;
}

/** A modal sheet that is there to do one thing, or nothing. */
export function ActionDialog({
  title,
  closeLabel,
  onClose,
  width = 'normal',
  role = 'dialog',
  head,
  children,
  ...action
}: ActionDialogProps) {
  const text = useText();
  return (
    <Dialog
      title={title}
      closeLabel={closeLabel ?? text.common.cancel}
      onClose={onClose}
      width={width}
      role={role}
      head={head}
      foot={<DialogFoot {...action} onCancel={onClose} />}
    >
      {children}
    </Dialog>
  );
}
