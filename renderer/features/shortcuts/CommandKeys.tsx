import { capsOf, useKeyLayout } from '../../state/keys/chords';
import { type CommandId, keysOf } from '../../state/keys/keymap';
import { useSettings } from '../../state/settings';
import { useText } from '../../text/language';

interface KeyCapsProps {
  /** One cap each, as `capsOf` prints them. */
  caps: readonly string[];
}

/** The keys of a command, as printed on a keyboard. Decoration: the command's name says the rest. */
export function KeyCaps({ caps }: KeyCapsProps) {
  if (caps.length === 0) return null;
  return (
    <span className="keycaps" aria-hidden="true">
      {caps.map((cap, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice, and a cap is its place
        <kbd key={nth} className="keycap">
          {cap}
        </kbd>
      ))}
    </span>
  );
}

const noKeys: Readonly<Record<string, string>> = {};

/** The caps of a command's first key, the person's own when set. */
export function useCaps(command: CommandId): string[] {
  const own = useSettings((state) => state.settings?.keys) ?? noKeys;
  const text = useText();
  const layout = useKeyLayout((state) => state.layout);
  const chord = keysOf(command, own)[0];
  return chord === undefined ? [] : capsOf(chord, text.common.mod, layout);
}

export function CommandKeys({ command }: { command: CommandId }) {
  return <KeyCaps caps={useCaps(command)} />;
}
