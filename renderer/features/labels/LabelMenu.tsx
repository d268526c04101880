import { IconButton } from '../../components/Button';
import { Menu, type MenuItem } from '../../components/Menu';
import { runCommand } from '../../state/keys/commands';
import type { CommandId } from '../../state/keys/keymap';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';

const shown: readonly CommandId[] = [
  'label.similar',
  'label.repeat',
  'label.correct',
  'retro.trim',
  'keep.sleep',
  'keep.debugging',
  'keep.exploration',
  'keep.backup',
  'labels.merge',
  'labels.mergeFile',
  'labels.export',
];

/** What is done less often than a label. */
export function LabelMenu({ disabled }: { disabled: boolean }) {
  const text = useText();
  const items = shown.map(
    (id): MenuItem => ({
      id,
      label: text.shortcuts.command(id),
      keys: <CommandKeys command={id} />,
      line: id === 'keep.sleep' || id === 'labels.merge',
      run: () => runCommand(id),
    }),
  );
  return (
    <Menu
      label={text.labels.more}
      items={items}
      button={(props) => <IconButton icon="more" label={text.labels.more} disabled={disabled} {...props} />}
    />
  );
}
