import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Icon } from '../../components/Icon';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { answerPrompt } from './host-prompts';
import { fingerprintCommand, forgetCommand, keyTypeName } from './key-commands';
import { CommandToCopy, Fingerprint, hostName, SheetHost, type SheetProps, SheetQueue } from './SheetParts';

/** A changed or revoked key. There is nothing to choose: the connection was not made, and no button makes it. */
export function HostKeyAlarmSheet({ prompt, total }: SheetProps) {
  const words = useText();
  const text = words.hostPrompts;
  const { key } = prompt;
  if (key === null) return null;
  const name = hostName(prompt);
  const leave = () => answerPrompt(prompt.id, null);
  const keys = [...(key.expected === null ? [] : [key.expected.sha256]), key.sha256].join('\n');
  return (
    <Dialog
      role="alertdialog"
      title={key.revoked ? text.revokedTitle(name) : text.changedTitle(name)}
      closeLabel={text.disconnect}
      onClose={leave}
      head={<SheetQueue total={total} />}
      foot={
        <>
          <Button look="ghost" icon="copy" onClick={() => attempt(() => navigator.clipboard.writeText(keys))}>
            {key.revoked ? text.copyKey : text.copyBoth}
          </Button>
          <span className="space" />
          <Button look="primary" data-autofocus onClick={leave}>
            {text.disconnect}
          </Button>
        </>
      }
    >
      <div className="sheet">
        <SheetHost prompt={prompt} />
        <p className="sheet-alarm">
          <Icon name="key" className="tone-danger" />
          <span>{key.revoked ? text.revokedText(prompt.target) : text.changedText(prompt.target)}</span>
        </p>
        {key.revoked ? (
          <div className="key-card key-card-danger">
            <b className="text-12 tone-danger">{text.revokedKey}</b>
            <Fingerprint sha256={key.sha256} />
            <p className="quiet text-12">{text.where(key.type, key.file, key.line)}</p>
          </div>
        ) : (
          <div className="key-pair">
            <div className="key-card" data-testid="key-known">
              <b className="text-12 soft">{text.known}</b>
              {key.expected === null ? (
                <>
                  <p className="quiet">{text.unknownOld}</p>
                  <p className="quiet text-12">{text.place(key.file, key.line)}</p>
                </>
              ) : (
                <>
                  {key.expected.type !== key.type && (
                    <p className="text-12">
                      {text.otherType(keyTypeName(key.type), keyTypeName(key.expected.type))}
                    </p>
                  )}
                  <Fingerprint sha256={key.expected.sha256} />
                  <p className="quiet text-12">{text.where(key.expected.type, key.file, key.line)}</p>
                </>
              )}
            </div>
            <div className="key-card key-card-danger" data-testid="key-offered">
              <b className="text-12 tone-danger">{text.offered}</b>
              <Fingerprint sha256={key.sha256} />
              <p className="quiet text-12">{text.keyOf(key.type, prompt.target)}</p>
            </div>
          </div>
        )}
        {key.revoked ? (
          <p className="text-12 soft">{text.revokedHelp(key.file, key.line)}</p>
        ) : (
          <>
            <CommandToCopy
              title={text.compareTitle}
              text={text.compareText}
              command={fingerprintCommand(key.type)}
            />
            <CommandToCopy
              title={text.replaceTitle}
              text={text.replaceText(key.file)}
              command={forgetCommand(prompt.target, key.file)}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}
