import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { answerPrompt } from './host-prompts';
import { fingerprintCommand } from './key-commands';
import { CommandToCopy, Fingerprint, hostName, SheetHost, type SheetProps, SheetQueue } from './SheetParts';

/** A host that was never met: its key, how to compare it, and an explicit decision; the default is not to trust. */
export function UnknownKeySheet({ prompt, total }: SheetProps) {
  const words = useText();
  const text = words.hostPrompts;
  const { key } = prompt;
  if (key === null) return null;
  const decline = () => answerPrompt(prompt.id, null);
  return (
    <Dialog
      role="alertdialog"
      title={text.unknownTitle(hostName(prompt))}
      closeLabel={words.common.cancel}
      onClose={decline}
      head={<SheetQueue total={total} />}
      foot={
        <>
          <Button
            look="ghost"
            icon="copy"
            onClick={() => attempt(() => navigator.clipboard.writeText(key.sha256))}
          >
            {text.copyFingerprint}
          </Button>
          <span className="space" />
          <Button onClick={() => answerPrompt(prompt.id, { trust: true })}>{text.trust}</Button>
          <Button look="primary" data-autofocus onClick={decline}>
            {words.common.cancel}
          </Button>
        </>
      }
    >
      <div className="sheet">
        <SheetHost prompt={prompt} />
        <p className="soft">{text.unknownText(prompt.target)}</p>
        <div className="key-card">
          <Fingerprint sha256={key.sha256} />
          <p className="quiet text-12">{text.keyOf(key.type, prompt.target)}</p>
        </div>
        <CommandToCopy
          title={text.compareTitle}
          text={text.compareText}
          command={fingerprintCommand(key.type)}
        />
        <p className="quiet text-12">{text.recordedIn(key.file)}</p>
      </div>
    </Dialog>
  );
}
