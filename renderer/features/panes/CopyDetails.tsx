import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';

/** Copies what an administrator or a developer needs to see of a fault. `small`: beside other small buttons, as in a banner. */
export function CopyDetails({ details, small = true }: { details: string; small?: boolean }) {
  const text = useText();
  return (
    <Button
      look="ghost"
      small={small}
      icon="copy"
      onClick={() => attempt(() => navigator.clipboard.writeText(details))}
    >
      {text.common.copyDetails}
    </Button>
  );
}
