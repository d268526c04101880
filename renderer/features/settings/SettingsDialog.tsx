import { Dialog } from '../../components/Dialog';
import { useText } from '../../text/language';

export interface SettingsDialogProps {
  onClose: () => void;
}

export function SettingsDialog({ onClose }: SettingsDialogProps) {
  const text = useText();
  return (
    <Dialog title={text.settings.title} closeLabel={text.common.close} onClose={onClose}>
      {null}
    </Dialog>
  );
}
