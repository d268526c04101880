import type { ReactNode } from 'react';
import { useText } from '../text/language';
import { Button } from './Button';

export interface DialogFootProps {
  /** What the primary button does, in a verb. */
  label: string;
  onDo: () => void;
  onCancel: () => void;
  disabled?: boolean;
  /** Left of the buttons. */
  note?: ReactNode;
  /** Between cancelling and doing. */
  between?: ReactNode;
}

/** Cancel, and the one thing that a sheet is there to do. */
export function DialogFoot({ label, onDo, onCancel, disabled = false, note, between }: DialogFootProps) {
  const text = useText();
  return (
    <>
      {note}
      <span className="space" />
      <Button onClick={onCancel}>{text.common.cancel}</Button>
      {between}
      <Button look="primary" disabled={disabled} onClick={onDo}>
        {label}
      </Button>
    </>
  );
}
