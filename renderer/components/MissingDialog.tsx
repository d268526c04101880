import { useText } from '../text/language';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { Empty } from './Empty';
import type { IconName } from './Icon';

interface MissingDialogProps {
  title: string;
  icon: IconName;
  /** What is missing, and what for. */
  missing: string;
  why: string;
  /** Leads to where it is added. */
  action: string;
  onAct(): void;
  onClose(): void;
}

/** A dialog that can do nothing yet because something has to be there first. */
export function MissingDialog({ title, icon, missing, why, action, onAct, onClose }: MissingDialogProps) {
  const text = useText();
  return (
    <Dialog title={title} closeLabel={text.common.close} width="small" onClose={onClose}>
      <Empty icon={icon} title={missing} text={why}>
        <Button look="primary" data-autofocus onClick={onAct}>
          {action}
        </Button>
      </Empty>
    </Dialog>
  );
}
