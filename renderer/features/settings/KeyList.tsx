import { useState } from 'react';
import { Button } from '../../components/Button';
import { capsOf, useKeyLayout } from '../../state/keys/chords';
import { pressedChords } from '../../state/keys/commands';
import { type CommandId, commandTable, keysOf } from '../../state/keys/keymap';
import { saveSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { KeyCaps } from '../shortcuts/CommandKeys';

/** Every command with its keys; press Change, then the new key. */
export function KeyList({ own }: { own: Record<string, string> }) {
  const words = useText();
  const text = words.settings;
  const layout = useKeyLayout((state) => state.layout);
  const [waiting, setWaiting] = useState<CommandId | null>(null);
  const save = (id: CommandId, chord: string) =>
    attempt(async () => {
      await saveSettings({ keys: { ...own, [id]: chord } });
      setWaiting(null);
    });
  return (
    <table className="key-list">
      <tbody>
        {commandTable.map(({ id }) => (
          <tr key={id}>
            <th scope="row">{words.shortcuts.command(id)}</th>
            <td>
              {keysOf(id, own).map((chord) => (
                <KeyCaps key={chord} caps={capsOf(chord, words.common.mod, layout)} />
              ))}
            </td>
            <td>
              <Button
                small
                aria-pressed={waiting === id}
                onClick={() => setWaiting(waiting === id ? null : id)}
                onKeyDown={(event) => {
                  if (waiting !== id || event.key === 'Tab') return;
                  event.preventDefault();
                  event.stopPropagation();
                  if (event.key === 'Escape') setWaiting(null);
                  else {
                    const chord = pressedChords(event.nativeEvent)[0];
                    if (chord !== undefined) save(id, chord);
                  }
                }}
              >
                {waiting === id ? text.pressKey : text.change}
              </Button>
              {own[id] && (
                <Button small look="ghost" onClick={() => save(id, '')}>
                  {text.useDefault}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
