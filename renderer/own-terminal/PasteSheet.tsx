import { checkPaste, pastedAsOneLine, pastedText } from '@shared/terminal/paste';
import { visibleText } from '@shared/terminal/visible-text';
import { ActionDialog } from '../components/ActionDialog';
import { Button } from '../components/Button';
import { useText } from '../text/language';
import { useOwnView } from './view-state';

/** The person's terminals on the screen: what the paste sheet gives its text to. */
const takers = new Map<string, (text: string) => void>();

/** Registers how a terminal takes a paste; the returned function ends it. */
export function giveTerminal(id: string, take: (text: string) => void): () => void {
  takers.set(id, take);
  return () => {
    if (takers.get(id) === take) takers.delete(id);
  };
}

function pasteInto(id: string, text: string): void {
  takers.get(id)?.(text);
}

/** More is not read before a paste. */
const shownCharacters = 4000;

/** A paste that would run lines or carries what cannot be seen, shown before it goes anywhere. */
export function PasteSheet() {
  const text = useText();
  const words = text.terminals;
  const paste = useOwnView((state) => state.paste);
  if (paste === null) return null;
  const check = checkPaste(paste.text);
  const close = () => useOwnView.setState({ paste: null });
  const go = (what: string) => {
    close();
    pasteInto(paste.id, what);
  };
  const { count } = text.common.format;
  return (
    <ActionDialog
      title={words.pasteTitle}
      closeLabel={text.common.close}
      onClose={close}
      label={words.paste}
      onDo={() => go(pastedText(paste.text))}
      between={
        check.lines > 1 && (
          <Button data-autofocus onClick={() => go(pastedAsOneLine(paste.text))}>
            {words.pasteOneLine}
          </Button>
        )
      }
    >
      <ul className="paste-remarks text-13">
        {check.lines > 1 && <li>{words.pasteLines(check.lines)}</li>}
        {check.controls > 0 && <li>{words.pasteControls(check.controls)}</li>}
        {check.hidden && <li>{words.pasteHidden}</li>}
      </ul>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={words.pasteText}
        className="paste-text mono-12"
      >
        {lines(paste.text.slice(0, shownCharacters))}
      </section>
      {paste.text.length > shownCharacters && (
        <p className="text-12 quiet">{words.pasteMore(count(shownCharacters), count(paste.text.length))}</p>
      )}
    </ActionDialog>
  );
}

/** Each line on its own, hidden characters written out, with the sign of a line break at its end. */
function lines(text: string) {
  const all = visibleText(text).split('\n');
  let at = 0;
  return all.map((line, index) => {
    const key = at;
    at += line.length + 1;
    return (
      <span key={key} className="paste-line">
        {line.split(/(⟨[^⟩]{1,8}⟩)/).map((part, piece) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one fixed text
          piece % 2 === 1 ? <mark key={piece}>{part}</mark> : <span key={piece}>{part}</span>,
        )}
        {index < all.length - 1 && <span className="paste-break">{'↵'}</span>}
      </span>
    );
  });
}
