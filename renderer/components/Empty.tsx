import type { ReactNode } from 'react';
import type { IconName } from './Icon';
import { Icon } from './Icon';

export interface EmptyProps {
  icon?: IconName;
  title: string;
  /** What would be here, and the next action. */
  text?: string;
  children?: ReactNode;
}

/** What a pane shows when there is nothing in it. */
export function Empty({ icon, title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      {icon !== undefined && <Icon name={icon} />}
      <b>{title}</b>
      {text !== undefined && <p>{text}</p>}
      {children !== undefined && <div className="empty-actions">{children}</div>}
    </div>
  );
}
