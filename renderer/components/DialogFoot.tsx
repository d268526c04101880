import type { ReactNode } from 'react';
import { useText } from '../text/language';
import { Button, type ButtonProps } from './Button';

export interface DialogFootProps extends Pick<ButtonProps, 'icon' | 'keys'> {
  /** What the primary button does, in a verb. */
  label: string;
  onDo: () => void;
  onCancel: () => void;
  disabled?: boolean;
  /** What it does cannot be undone. */
  danger?: boolean;
  /** It gets the focus when the sheet opens, where no field is waiting for it. */
  focus?: boolean;
  /** Left of the buttons. */
  note?: ReactNode;
  /** Between cancelling and doing. */
  between?: ReactNode;
}

/** Cancel, and the one thing that a sheet is there to do. */
export function DialogFoot({
  label,
  onDo,
  onCancel,
  disabled = false,
  danger = false,
  focus = false,
  note,
  between,
  ...rest
}: DialogFootProps) {
  const text = useText();
  return (
    <>
      {note}
      <span className="space" />
      <Button onClick={onCancel}>{text.common.cancel}</Button>
      {between}
      <Button
        look={danger ? 'danger' : 'primary'}
        disabled={disabled}
        onClick={onDo}
        {...(focus ? { 'data-autofocus': true } : {})}
        {...rest}
      >
        {label}
      </Button>
    </>
  );
}
