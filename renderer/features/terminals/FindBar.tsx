import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../components/Button';
import { PreviousNext } from '../../components/PreviousNext';
import { useText } from '../../text/language';
import { searchLimit, type TerminalSearch } from './xterm-screen';

/** Search in the scrollback of the zoomed terminal: Enter goes on, Shift+Enter back, Escape closes. */
export function FindBar({ search, onClose }: { search: TerminalSearch; onClose: () => void }) {
  const text = useText();
  const words = text.terminals;
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState({ at: -1, of: 0 });
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    const stop = search.onFound(setFound);
    return () => {
      stop();
      search.clear();
    };
  }, [search]);
  useEffect(() => {
    if (typed === '') search.clear();
    // The newest match first: that is what a person looks at.
    else search.find(typed, -1);
  }, [typed, search]);
  const go = (direction: 1 | -1) => {
    if (typed !== '') search.find(typed, direction);
  };
  const count =
    typed === ''
      ? ''
      : found.of === 0
        ? words.findNone
        : found.of > searchLimit || found.at < 0
          ? words.findMany(text.common.format.count(searchLimit))
          : words.findCount(found.at + 1, text.common.format.count(found.of));
  return (
    <search className="terminal-find">
      <input
        ref={input}
        type="text"
        className="field"
        aria-label={words.find}
        placeholder={words.findPlaceholder}
        value={typed}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="text-11 quiet tabular terminal-find-count" aria-live="polite">
        {count}
      </span>
      <PreviousNext previous={words.findPrevious} next={words.findNext} onMove={go} />
      <IconButton icon="close" small label={words.findClose} onClick={onClose} />
    </search>
  );
}
