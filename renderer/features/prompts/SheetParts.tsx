import type { HostPromptView } from '@shared/contract/computers';
import { Fragment } from 'react';
import { Button } from '../../components/Button';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';

export interface SheetProps {
  prompt: HostPromptView;
  /** How many questions wait, this one included. */
  total: number;
}

/** Right of a sheet's title: how many questions wait. */
export function SheetQueue({ total }: { total: number }) {
  const text = useText().hostPrompts;
  return total > 1 ? <span className="chip">{text.queue(total)}</span> : null;
}

/** Which host asks: a jump host is named with where it leads. */
export function SheetHost({ prompt }: { prompt: HostPromptView }) {
  const text = useText().hostPrompts;
  if (prompt.via === null) return null;
  return <p className="soft">{text.via(prompt.via, prompt.alias)}</p>;
}

/** What the sheet calls the host that asks: the jump host where it is one. */
export function hostName(prompt: HostPromptView): string {
  return prompt.via ?? prompt.alias;
}

/** What a command is for, and the command with a button that copies it. */
export function CommandToCopy({ title, text, command }: { title: string; text: string; command: string }) {
  const words = useText().hostPrompts;
  return (
    <div>
      <p className="text-12">
        <b className="strong">{title}</b> <span className="soft">{text}</span>
      </p>
      <div className="copy-line">
        <code className="mono-12">{command}</code>
        <Button
          small
          look="ghost"
          icon="copy"
          onClick={() => attempt(() => navigator.clipboard.writeText(command))}
        >
          {words.copyCommand}
        </Button>
      </div>
    </div>
  );
}

/**
 * `SHA256:…` in groups of four, so that eyes can compare; the text itself has no spaces, so that a copy of it is the
 * fingerprint.
 */
export function Fingerprint({ sha256 }: { sha256: string }) {
  const at = sha256.indexOf(':') + 1;
  const groups = sha256.slice(at).match(/.{1,4}/gu) ?? [];
  return (
    <code className="fingerprint" data-fingerprint={sha256}>
      <span className="fingerprint-kind">{sha256.slice(0, at)}</span>
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity and never change
        <Fragment key={index}>
          <wbr />
          <span>{group}</span>
        </Fragment>
      ))}
    </code>
  );
}
