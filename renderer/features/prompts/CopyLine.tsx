import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';

/** A command to copy, with its button. */
export function CopyLine({ command, label }: { command: string; label: string }) {
  return (
    <div className="copy-line">
      <code className="mono-12">{command}</code>
      <Button
        small
        look="ghost"
        icon="copy"
        onClick={() => attempt(() => navigator.clipboard.writeText(command))}
      >
        {label}
      </Button>
    </div>
  );
}
