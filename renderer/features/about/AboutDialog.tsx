import { Dialog } from '../../components/Dialog';
import { useText } from '../../text/language';

export interface AboutDialogProps {
  onClose: () => void;
}

export function AboutDialog({ onClose }: AboutDialogProps) {
  const text = useText();
  return (
    <Dialog title={text.about.title} closeLabel={text.common.close} onClose={onClose}>
      {null}
    </Dialog>
  );
}
