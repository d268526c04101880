import type { ReactNode } from 'react';
import { useRef } from 'react';

export interface TabItem<T extends string> {
  id: T;
  label: string;
  keys?: ReactNode;
}

export interface TabsProps<T extends string> {
  label: string;
  items: readonly TabItem<T>[];
  chosen: T;
  onChoose: (id: T) => void;
  look?: 'tabs' | 'segmented';
  /** Prefix of the ids that tie a tab to its panel: `${idBase}-${id}`. */
  idBase?: string;
}

/** One of several views; arrow keys move between them. The panel carries `id="<idBase>-panel"`. */
export function Tabs<T extends string>({
  label,
  items,
  chosen,
  onChoose,
  look = 'tabs',
  idBase,
}: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  function onKeyDown(event: React.KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = items.findIndex((item) => item.id === chosen);
    const next = items[(at + step + items.length) % items.length];
    if (next === undefined) return;
    onChoose(next.id);
    list.current?.querySelectorAll('button')[items.indexOf(next)]?.focus();
  }
  return (
    <div ref={list} role="tablist" aria-label={label} className={look} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <button
          key={item.id}
          id={idBase === undefined ? undefined : `${idBase}-${item.id}`}
          type="button"
          role="tab"
          aria-selected={item.id === chosen}
          aria-controls={idBase === undefined ? undefined : `${idBase}-panel`}
          tabIndex={item.id === chosen ? 0 : -1}
          onClick={() => onChoose(item.id)}
        >
          {item.label}
          {item.keys}
        </button>
      ))}
    </div>
  );
}

export interface SegmentedProps<T extends string> {
  label: string;
  items: readonly { id: T; label: string; count?: string }[];
  chosen: T;
  onChoose: (id: T) => void;
}

/** A choice that changes what one list shows. */
export function Segmented<T extends string>({ label, items, chosen, onChoose }: SegmentedProps<T>) {
  return (
    <fieldset className="segmented segmented-set" aria-label={label}>
      {items.map((item) => (
        <button
          key={item.id}
          type="button"
          aria-pressed={item.id === chosen}
          onClick={() => onChoose(item.id)}
        >
          {item.label}
          {item.count !== undefined && <span className="tabular quiet">{item.count}</span>}
        </button>
      ))}
    </fieldset>
  );
}
