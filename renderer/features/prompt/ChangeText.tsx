import type { PromptChange } from '@shared/context/prompt-diff';
import type { PromptMessage } from '@shared/contract/views';
import { useState } from 'react';
import { useText } from '../../text/language';
import { ChangedLines } from './ChangedLines';
import { readable } from './prompt-parts';

/** Characters of a text without a diff shown before it is asked for whole. */
const CHARACTERS = 8_000;

export interface ChangeTextProps {
  change: PromptChange;
  before: PromptMessage | undefined;
  after: PromptMessage | undefined;
}

/** One changed message to read: its text when it is new or gone, else its lines with what differs marked. */
export function ChangeText({ change, before, after }: ChangeTextProps) {
  const words = useText();
  const text = words.prompt;
  const message = after ?? before;
  if (message === undefined) return null;
  const tokens =
    change.kind === 'changed' && before !== undefined && after !== undefined
      ? text.tokensChange(before.tokens, after.tokens)
      : text.tokens(message.tokens);
  return (
    <article className={`prompt-change prompt-change-${change.kind}`}>
      <header className="text-12">
        <span className={`prompt-count prompt-count-${change.kind}`}>
          {change.kind === 'changed' ? text.reason[change.reason.why] : text.counts[change.kind]}
        </span>
        <b>{message.role}</b>
        <span className="quiet">{message.step === 0 ? text.head : text.step(message.step)}</span>
        <span className="quiet tabular">{tokens}</span>
      </header>
      {change.kind === 'changed' && before !== undefined && after !== undefined ? (
        <Changed change={change} before={readable(before)} after={readable(after)} />
      ) : (
        <Whole text={readable(message)} />
      )}
    </article>
  );
}

interface ChangedProps {
  change: Extract<PromptChange, { kind: 'changed' }>;
  before: string;
  after: string;
}

function Changed({ change, before, after }: ChangedProps) {
  const text = useText().prompt;
  const { reason } = change;
  if (reason.why === 'hint') {
    return (
      <div className="prompt-hint">
        <Whole text={reason.text.trim()} />
      </div>
    );
  }
  if (reason.why === 'shortened') {
    return (
      <>
        <p className="text-12">{text.shortened(reason.was, reason.kept)}</p>
        <div className="prompt-cut">
          <Whole text={reason.cut} />
        </div>
      </>
    );
  }
  return <ChangedLines before={before} after={after} />;
}

/** A text that is cut on the screen until it is asked for whole. */
function Whole({ text }: { text: string }) {
  const words = useText();
  const [whole, setWhole] = useState(false);
  const shown = whole ? text : text.slice(0, CHARACTERS);
  return (
    <>
      <pre className="prompt-text">{shown}</pre>
      {shown.length < text.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {words.prompt.showAll(text.length - shown.length)}
        </button>
      )}
    </>
  );
}
