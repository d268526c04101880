import type { ComponentPropsWithRef, ReactNode } from 'react';
import type { IconName } from './Icon';
import { Icon } from './Icon';

export interface ButtonProps extends ComponentPropsWithRef<'button'> {
  /** One primary button per surface. */
  look?: 'plain' | 'primary' | 'ghost' | 'danger';
  small?: boolean;
  icon?: IconName;
  /** Key caps printed after the label. */
  keys?: ReactNode;
}

/** A verb that names its effect. A disabled one needs a sentence near it that says why. */
export function Button({
  look = 'plain',
  small = false,
  icon,
  keys,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`button button-${look} ${small ? 'button-small' : ''} ${className}`}
      {...rest}
    >
      {icon !== undefined && <Icon name={icon} small={small} />}
      {children}
      {keys}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  icon: IconName;
  /** The name for screen readers, shown as tooltip. */
  label: string;
  small?: boolean;
  look?: 'plain' | 'ghost';
}

/** A button without a word: only where the picture is known (more, close, flag, comment). */
export function IconButton({
  icon,
  label,
  small = false,
  look = 'ghost',
  className = '',
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      className={`button button-${look} button-icon ${small ? 'button-small' : ''} ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
