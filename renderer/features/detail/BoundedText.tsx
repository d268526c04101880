import { useMemo, useState } from 'react';
import { Button } from '../../components/Button';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { excerpt, plainText } from '../rendering/action-code';

export interface BoundedTextProps {
  text: string;
  look: 'prose' | 'code';
  /** Lines shown before "Show all". */
  lines: number;
}

const CHARACTERS = 6000;

/** A text that may be very long: its first lines, and all of it when asked for. */
export function BoundedText({ text, look, lines }: BoundedTextProps) {
  const words = useText();
  const everywhere = useView((state) => state.expanded);
  const [own, setOwn] = useState<boolean | null>(null);
  const open = own ?? everywhere;
  const whole = useMemo(() => plainText(text), [text]);
  const part = useMemo(() => excerpt(whole, lines, CHARACTERS), [whole, lines]);
  const shown = open ? whole : part.text;
  const toggle = part.hiddenLines > 0 && (
    <Button look="ghost" small onClick={() => setOwn(!open)} className="bounded-toggle">
      {open ? words.detail.showLess : words.detail.showAll(words.common.format.bytes(whole.length))}
    </Button>
  );
  if (look === 'prose') {
    return (
      <div>
        <p className="prose">{shown}</p>
        {toggle}
      </div>
    );
  }
  return (
    <div>
      <pre className="code code-wrap">
        {shown === '' ? <span className="quiet">{words.detail.empty}</span> : shown}
      </pre>
      {toggle}
    </div>
  );
}
