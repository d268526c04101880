import type { ReactNode } from 'react';
import type { IconName } from './Icon';
import { Icon } from './Icon';

export interface BannerProps {
  tone: 'plain' | 'attention' | 'danger';
  icon: IconName;
  /** What happened, in a few words. */
  title: string;
  /** Cause, effect, next step. */
  children?: ReactNode;
  actions?: ReactNode;
}

/** A state of the window or the run that stands until it ends. Said once to screen readers. */
export function Banner({ tone, icon, title, children, actions }: BannerProps) {
  return (
    <div className={`banner banner-${tone}`} role="alert">
      <Icon name={icon} />
      <div className="banner-text">
        <b>{title}</b> <span>{children}</span>
      </div>
      {actions}
    </div>
  );
}
