import { Dialog } from '../../components/Dialog';
import { useText } from '../../text/language';

export interface NewRunDialogProps {
  onClose: () => void;
}

export function NewRunDialog({ onClose }: NewRunDialogProps) {
  const text = useText();
  return (
    <Dialog title={text.newRun.title} closeLabel={text.common.close} onClose={onClose}>
      {null}
    </Dialog>
  );
}
