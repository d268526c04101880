import type { ReactNode } from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { IconName } from './Icon';
import { Icon } from './Icon';

export interface MenuItem {
  id: string;
  label: string;
  /** What it does, in one sentence. */
  text?: string;
  icon?: IconName;
  keys?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  /** A line above this item. */
  line?: boolean;
  run: () => void;
}

export interface MenuProps {
  label: string;
  items: readonly MenuItem[];
  /** The button that opens it. */
  button: (props: { onClick: () => void; 'aria-haspopup': 'menu'; 'aria-expanded': boolean }) => ReactNode;
}

/** A button with a list of verbs. Arrow keys move, Escape closes and gives the focus back. */
export function Menu({ label, items, button }: MenuProps) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <span ref={anchor} className="menu-anchor">
      {button({ onClick: () => setOpen(!open), 'aria-haspopup': 'menu', 'aria-expanded': open })}
      {open && (
        <MenuList label={label} items={items} anchor={anchor.current} onClose={() => setOpen(false)} />
      )}
    </span>
  );
}

interface MenuListProps {
  label: string;
  items: readonly MenuItem[];
  anchor: HTMLElement | null;
  onClose: () => void;
}

function MenuList({ label, items, anchor, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const box = list.current;
    if (box === null || anchor === null) return;
    const around = anchor.getBoundingClientRect();
    const below = around.bottom + 4 + box.offsetHeight <= window.innerHeight;
    box.style.top = `${below ? around.bottom + 4 : Math.max(4, around.top - 4 - box.offsetHeight)}px`;
    box.style.left = `${Math.max(4, Math.min(around.left, window.innerWidth - box.offsetWidth - 8))}px`;
    box.querySelector<HTMLElement>('[role="menuitem"]:not(:disabled)')?.focus();
  }, [anchor]);

  useEffect(() => {
    function onPointer(event: PointerEvent): void {
      const target = event.target;
      if (target instanceof Node && (list.current?.contains(target) || anchor?.contains(target))) return;
      close.current();
    }
    window.addEventListener('pointerdown', onPointer, true);
    return () => window.removeEventListener('pointerdown', onPointer, true);
  }, [anchor]);

  function leave(): void {
    close.current();
    anchor?.querySelector('button')?.focus();
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const stops = [
      ...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? []),
    ];
    const active = document.activeElement;
    const at = active instanceof HTMLElement ? stops.indexOf(active) : -1;
    const to =
      event.key === 'ArrowDown'
        ? stops[(at + 1) % stops.length]
        : event.key === 'ArrowUp'
          ? stops[(at - 1 + stops.length) % stops.length]
          : event.key === 'Home'
            ? stops[0]
            : event.key === 'End'
              ? stops.at(-1)
              : undefined;
    if (to !== undefined) to.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // It stands outside every landmark of the page, so it is one itself.
  return createPortal(
    <section aria-label={label}>
      <div ref={list} role="menu" aria-label={label} className="menu" tabIndex={-1} onKeyDown={onKeyDown}>
        {items.map((item) => (
          <div key={item.id} role="none">
            {item.line === true && <div className="menu-line" role="none" />}
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={item.disabled ?? false}
              className={`menu-item ${item.danger === true ? 'menu-item-danger' : ''}`}
              onClick={() => {
                leave();
                item.run();
              }}
            >
              {item.icon === undefined ? <span /> : <Icon name={item.icon} />}
              <span>{item.label}</span>
              {item.keys ?? <span />}
              {item.text !== undefined && <small>{item.text}</small>}
            </button>
          </div>
        ))}
      </div>
    </section>,
    document.body,
  );
}
