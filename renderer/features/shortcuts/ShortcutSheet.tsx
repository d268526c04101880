import { useState } from 'react';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { TextField } from '../../components/Field';
import type { LabelState } from '../../components/LabelGlyph';
import { LabelGlyph } from '../../components/LabelGlyph';
import { capsOf, type KeyLayout, useKeyLayout } from '../../state/keys/chords';
import type { CommandGroup, CommandId } from '../../state/keys/keymap';
import { commandTable, keysOf } from '../../state/keys/keymap';
import { useSettings } from '../../state/settings';
import { openDialog } from '../../state/view';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { KeyCaps } from './CommandKeys';

const columns: readonly (readonly CommandGroup[])[] = [
  ['move', 'steer'],
  ['label', 'note'],
  ['look', 'everywhere'],
];
const legend: readonly LabelState[] = ['train', 'mask', 'undecided', 'none', 'carried', 'hint'];
const noKeys: Readonly<Record<string, string>> = {};

interface Line {
  id: CommandId;
  caps: string[];
  say: string;
}

/** Every key that has a command, as it is set, and what the labels look like. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.shortcuts;
  const own = useSettings((state) => state.settings?.keys) ?? noKeys;
  const layout = useKeyLayout((state) => state.layout);
  const [query, setQuery] = useState('');
  const groups = columns.map((column) =>
    column.map((group) => ({
      group,
      lines: linesOf(group, own, text, layout).filter((line) => fits(line, query)),
    })),
  );
  const nothing = groups.flat().every((one) => one.lines.length === 0);
  return (
    <Dialog
      title={words.title}
      closeLabel={text.common.close}
      width="wide"
      onClose={onClose}
      head={
        <>
          <span className="sheet-find">
            <TextField
              data-autofocus
              aria-label={words.find}
              placeholder={words.find}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </span>
          <Button look="ghost" onClick={() => openDialog('settings')}>
            {words.change}
          </Button>
        </>
      }
      foot={<span className="text-12 quiet">{words.foot}</span>}
    >
      {nothing && <p className="quiet">{words.nothing(query)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard */}
      <section className="sheet-columns" tabIndex={0} aria-label={words.title}>
        {groups.map((column) => (
          <div key={column.map((one) => one.group).join()}>
            {column
              .filter((one) => one.lines.length > 0)
              .map((one) => (
                <section key={one.group} aria-label={words.groups[one.group]}>
                  <h3 className="sheet-group">{words.groups[one.group]}</h3>
                  <dl>
                    {one.lines.map((line) => (
                      <div key={line.id} className="sheet-line">
                        <dt>
                          <KeyCaps caps={line.caps} />
                          <span className="hidden-visually">{line.caps.join(' ')}</span>
                        </dt>
                        <dd>{line.say}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              ))}
          </div>
        ))}
      </section>
      <section className="sheet-legend" aria-label={words.legend}>
        {legend.map((state) => (
          <span key={state} className="row">
            <LabelGlyph state={state} />
            <span className="text-12 medium">{text.labels[state]}</span>
          </span>
        ))}
        <span className="row">
          <LabelGlyph state="train" ring />
          <span className="text-12">{words.ring}</span>
        </span>
      </section>
    </Dialog>
  );
}

/** The lines of a group; the nine reasons are one line. */
function linesOf(
  group: CommandGroup,
  own: Readonly<Record<string, string>>,
  text: Text,
  layout: KeyLayout | null,
): Line[] {
  const lines: Line[] = [];
  for (const { id, group: of } of commandTable) {
    if (of !== group) continue;
    const keys = keysOf(id, own);
    if (keys.length === 0) continue;
    if (id.startsWith('reason.')) {
      if (id === 'reason.1') lines.push({ id, caps: ['1 – 9'], say: text.shortcuts.reasons });
      continue;
    }
    const caps = capsOf(keys[0] ?? '', text.common.mod, layout);
    // The second key is printed where it fits beside the first: Ctrl Z, not Ctrl Shift Z.
    const second = keys[1];
    const more =
      second !== undefined && /^Mod\+[a-z]$/.test(second) ? capsOf(second, text.common.mod, layout) : [];
    lines.push({ id, caps: [...caps, ...more], say: text.shortcuts.command(id) });
  }
  return lines;
}

function fits(line: Line, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return true;
  return line.say.toLowerCase().includes(wanted) || line.caps.some((cap) => cap.toLowerCase() === wanted);
}
