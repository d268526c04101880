import { KeyCaps } from '../../components/KeyCap';
import type { CommandId } from '../../state/keymap';
import { capsOf, keysOf } from '../../state/keymap';
import { useSettings } from '../../state/settings';
import { useText } from '../../text/language';

const noKeys: Readonly<Record<string, string>> = {};

/** The caps of a command's first key, the person's own when set. */
export function useCaps(command: CommandId): string[] {
  const own = useSettings((state) => state.settings?.keys) ?? noKeys;
  const text = useText();
  const chord = keysOf(command, own)[0];
  return chord === undefined ? [] : capsOf(chord, text.common.mod);
}

export function CommandKeys({ command }: { command: CommandId }) {
  return <KeyCaps caps={useCaps(command)} />;
}
