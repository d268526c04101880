import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { Dialog } from '../../components/Dialog';
import { capsOf, useKeyLayout } from '../../state/keys/chords';
import type { CommandId } from '../../state/keys/keymap';
import { keysOf } from '../../state/keys/keymap';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { KeyCaps } from '../shortcuts/CommandKeys';
import type { PaletteEntry } from './palette';
import { closePalette, fitting, grouped, paletteEntries, stepEntry, usePalette } from './palette';
import './palette.css';

/** The palette, when it is open. */
export function Palette() {
  const open = usePalette((state) => state.open);
  return open ? <PaletteDialog /> : null;
}

const noKeys: Readonly<Record<string, string>> = {};

/** Every command with its keys, steps by number, runs by number and name: type, choose, go. */
function PaletteDialog() {
  const text = useText();
  const words = text.palette;
  const runs = useRuns((state) => state.list);
  const steps = useTimeline((state) => state.steps);
  const own = useSettings((state) => state.settings?.keys) ?? noKeys;
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const all = useMemo(() => paletteEntries(text, runs), [text, runs]);
  const step = stepEntry(text, query, steps);
  const groups = grouped([...(step === null ? [] : [step]), ...fitting(all, query)]);
  const shown = groups.flatMap(({ entries }) => entries);
  const current = shown.find((entry) => entry.id === chosen) ?? shown[0];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the list follows what is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  function onKeyDown(event: React.KeyboardEvent): void {
    const at = current === undefined ? -1 : shown.indexOf(current);
    const to =
      event.key === 'ArrowDown'
        ? shown[(at + 1) % shown.length]
        : event.key === 'ArrowUp'
          ? shown[(at - 1 + shown.length) % shown.length]
          : event.key === 'PageDown'
            ? shown[Math.min(at + 10, shown.length - 1)]
            : event.key === 'PageUp'
              ? shown[Math.max(at - 10, 0)]
              : undefined;
    if (to !== undefined) setChosen(to.id);
    else if (event.key === 'Enter' && current !== undefined && !event.nativeEvent.isComposing) go(current);
    else return;
    event.preventDefault();
  }

  return (
    <Dialog title={words.title} closeLabel={text.common.close} onClose={closePalette}>
      <input
        data-autofocus
        type="text"
        role="combobox"
        className="field palette-field"
        aria-label={words.title}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={current === undefined ? undefined : `${id}-${current.id}`}
        placeholder={words.placeholder}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={words.list} className="palette-list">
        {groups.map(({ group, entries }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
          <div key={group} role="group" aria-labelledby={`${id}-of-${group}`}>
            <div id={`${id}-of-${group}`} className="palette-group" role="presentation">
              {groupName(group, text)}
            </div>
            {entries.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
              <div
                key={entry.id}
                id={`${id}-${entry.id}`}
                role="option"
                aria-selected={entry === current}
                className="palette-entry"
                onClick={() => go(entry)}
              >
                <span className="cut">{entry.say}</span>
                <Keys command={entry.command} own={own} text={text} />
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className="text-12 quiet" role="status">
        {shown.length === 0 ? words.nothing(query) : `${words.count(shown.length)}. ${words.foot}`}
      </p>
    </Dialog>
  );
}

/** Runs an entry when the dialog is gone and the focus is back where it was. */
function go(entry: PaletteEntry): void {
  closePalette();
  requestAnimationFrame(() => entry.run());
}

function groupName(group: PaletteEntry['group'], text: Text): string {
  return group === 'steps' || group === 'runs' ? text.palette.groups[group] : text.shortcuts.groups[group];
}

function Keys({
  command,
  own,
  text,
}: {
  command: CommandId | null;
  own: Readonly<Record<string, string>>;
  text: Text;
}) {
  const layout = useKeyLayout((state) => state.layout);
  const chord = command === null ? undefined : keysOf(command, own)[0];
  return chord === undefined ? null : <KeyCaps caps={capsOf(chord, text.common.mod, layout)} />;
}
