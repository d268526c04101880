import type { ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { IconButton } from './Button';

export interface DialogProps {
  title: string;
  closeLabel: string;
  onClose: () => void;
  width?: 'small' | 'normal' | 'wide';
  /** `alertdialog`: something that cannot wait and stands in the way on purpose. */
  role?: 'dialog' | 'alertdialog';
  /** Right of the title. */
  head?: ReactNode;
  foot?: ReactNode;
  children: ReactNode;
}

const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** A modal sheet: keeps the focus inside, gives it back on closing, closes on Escape. */
export function Dialog({
  title,
  closeLabel,
  onClose,
  width = 'normal',
  role = 'dialog',
  head,
  foot,
  children,
}: DialogProps) {
  const titleId = useId();
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  // Asked before anything inside takes the focus for itself, as a field may while it is put into the page.
  const [before] = useState(() => document.activeElement);
  useEffect(() => {
    // What is named for it comes before any field, wherever it stands.
    const first =
      box.current?.querySelector<HTMLElement>('[data-autofocus]') ??
      box.current?.querySelector<HTMLElement>('.dialog-body input, .dialog-body select');
    const tab = box.current?.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]');
    (first ?? tab ?? box.current)?.focus();
    return () => {
      // What came in its place may have the focus already.
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (isFree && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [before]);

  // A button that went away while it had the focus leaves it nowhere: the keys still belong to the topmost sheet.
  useEffect(() => {
    const onLostKey = (event: KeyboardEvent) => {
      const top = [...document.querySelectorAll('.scrim')].at(-1);
      if (document.activeElement !== document.body || top !== box.current?.parentElement) return;
      if (event.key === 'Escape' && !event.defaultPrevented) close.current();
      else if (event.key === 'Tab') box.current?.focus();
    };
    document.addEventListener('keydown', onLostKey);
    return () => document.removeEventListener('keydown', onLostKey);
  }, []);

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      event.preventDefault();
      event.stopPropagation();
      close.current();
      return;
    }
    if (event.key !== 'Tab') return;
    const stops = [...(box.current?.querySelectorAll<HTMLElement>(focusable) ?? [])].filter(
      // Of tabs only the chosen one is a stop; the arrows lead to the others.
      (element) => element.offsetParent !== null && element.tabIndex >= 0,
    );
    const first = stops[0];
    const last = stops.at(-1);
    if (first === undefined || last === undefined) return;
    if (event.shiftKey && (document.activeElement === first || document.activeElement === box.current)) {
      event.preventDefault();
      last.focus();
    } else if (!event.shiftKey && document.activeElement === last) {
      event.preventDefault();
      first.focus();
    }
  }

  // Whoever opens it may stand in a box that holds fixed boxes inside (a size container does).
  return createPortal(
    <div className="scrim">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the role is one of two dialogs' */}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is one of two dialogs' */}
      <div
        ref={box}
        role={role}
        aria-modal="true"
        aria-labelledby={titleId}
        tabIndex={-1}
        className={`dialog dialog-${width}`}
        onKeyDown={onKeyDown}
      >
        <div className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          {head}
          <span className="space" />
          <IconButton icon="close" label={closeLabel} onClick={() => close.current()} />
        </div>
        <div className="dialog-body">{children}</div>
        {foot !== undefined && <div className="dialog-foot">{foot}</div>}
      </div>
    </div>,
    document.body,
  );
}
