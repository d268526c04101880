import { hintBlock } from '@shared/context/human-tag';
import { Dialog } from '../../components/Dialog';
import { useText } from '../../text/language';
import { useHintDraft } from './hint-draft';
import { useHints } from './hints';

/** The exact text of the queue as the agent would read it now, and of the draft as it would read that. */
export function TextToSend({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.hints;
  const due = useHints((state) => state.hints?.textToSend ?? '');
  const draft = useHintDraft((state) => state.draft.text.trim());
  return (
    <Dialog title={words.textToSendTitle} closeLabel={text.common.close} onClose={onClose}>
      <p className="quiet text-12 dialog-lead">{words.textToSendNote}</p>
      {due === '' ? (
        <p className="text-12">{words.textToSendNothing}</p>
      ) : (
        <pre className="code code-wrap">{due.trimStart()}</pre>
      )}
      {draft !== '' && (
        <>
          <h3 className="sheet-title">{words.textOfDraft}</h3>
          <pre className="code code-wrap">{hintBlock([draft]).trimStart()}</pre>
        </>
      )}
    </Dialog>
  );
}
