import { keepCodes } from '@shared/labels/guideline';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { Menu, type MenuItem } from '../../components/Menu';
import { runCommand } from '../../state/keys/commands';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { keepCommands } from './labels';

/** The reasons to keep, with their keys; the one that is set or given stands on the button. */
export function KeepReasons({ shown, disabled }: { shown: string | null; disabled: boolean }) {
  const words = useText().labels;
  const items = keepCodes.map(
    (code): MenuItem => ({
      id: code,
      label: words.reasonName(code),
      keys: <CommandKeys command={keepCommands[code]} />,
      run: () => runCommand(keepCommands[code]),
    }),
  );
  const given = keepCodes.find((code) => code === shown);
  return (
    <Menu
      label={words.keepReason}
      items={items}
      button={(props) => (
        <Button small disabled={disabled} className="keep-reasons" {...props}>
          <span className="cut">{given === undefined ? words.keepReasons : words.reasonName(given)}</span>
          <Icon name="down" small />
        </Button>
      )}
    />
  );
}
