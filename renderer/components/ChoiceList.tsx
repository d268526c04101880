import { type ReactNode, useId } from 'react';
import './choice-list.css';

export interface ChoiceListProps<Item> {
  label: string;
  items: readonly Item[];
  /** Stable and different for each item. */
  idOf: (item: Item) => string;
  chosen: string;
  onChoose: (id: string) => void;
  children: (item: Item) => ReactNode;
}

/** A list of things of which one is shown beside it; arrows, j, k, Home and End choose. */
export function ChoiceList<Item>({ label, items, idOf, chosen, onChoose, children }: ChoiceListProps<Item>) {
  const own = useId();
  const at = Math.max(
    0,
    items.findIndex((item) => idOf(item) === chosen),
  );
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    j: 1,
    k: -1,
    Home: -items.length,
    End: items.length,
  };
  return (
    <div
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={`${own}-${at}`}
      className="choice-list"
      onKeyDown={(event) => {
        const by = moves[event.key];
        if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
        const to = Math.max(0, Math.min(items.length - 1, at + by));
        const next = items[to];
        if (next !== undefined) {
          onChoose(idOf(next));
          document.getElementById(`${own}-${to}`)?.scrollIntoView({ block: 'nearest' });
        }
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {items.map((item, nth) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
        // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
        <div
          key={idOf(item)}
          id={`${own}-${nth}`}
          role="option"
          aria-selected={idOf(item) === chosen}
          className="choice-line"
          onClick={() => onChoose(idOf(item))}
        >
          {children(item)}
        </div>
      ))}
    </div>
  );
}
