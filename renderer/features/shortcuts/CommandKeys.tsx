import { KeyCaps } from '../../components/KeyCap';
import { capsOf } from '../../state/keys/chords';
import { useKeyLayout } from '../../state/keys/key-layout';
import type { CommandId } from '../../state/keys/keymap';
import { keysOf } from '../../state/keys/keymap';
import { useSettings } from '../../state/settings';
import { useText } from '../../text/language';

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
