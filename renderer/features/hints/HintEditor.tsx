import type { RunSummary } from '@shared/contract/views';
import type { HintCategory, HintView } from '@shared/log/outbox';
import { useState } from 'react';
import { Button } from '../../components/Button';
import { Select, TextArea } from '../../components/Field';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { DeliveryDetails, DeliverySelect } from './DeliveryFields';
import { categories, changeDraft, useHintDraft } from './hint-draft';
import { type ChangeOutcome, editHint } from './hints';

export interface HintEditorProps {
  run: RunSummary;
  hint: HintView;
  onClose: () => void;
}

/**
 * A queued hint, edited where it stands. When it leaves the queue meanwhile, what was typed is offered as a draft instead
 * of being lost.
 */
export function HintEditor({ run, hint, onClose }: HintEditorProps) {
  const text = useText();
  const words = text.hints;
  const [typed, setTyped] = useState(hint.text);
  const [category, setCategory] = useState(hint.category);
  const [deliver, setDeliver] = useState(hint.deliver);
  const [late, setLate] = useState<Exclude<ChangeOutcome, 'done'> | null>(null);
  const draftFree = useHintDraft((state) => state.draft.text.trim() === '');
  const ready = typed.trim() !== '' && late === null;

  function save(): void {
    if (!ready) return;
    attempt(async () => {
      const outcome = await editHint(run.id, hint, { text: typed.trim(), category, deliver });
      if (outcome === 'done') onClose();
      else setLate(outcome);
    });
  }
  return (
    <li className="queue-editor" data-testid="hint-editor">
      <TextArea
        autoFocus
        rows={3}
        aria-label={words.editTitle(hint.number)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <div className="row queue-editor-foot">
        {late === null ? (
          <>
            <DeliverySelect deliver={deliver} onChange={setDeliver} />
            <Select<HintCategory>
              small
              className="compose-kind"
              aria-label={words.category}
              value={category}
              options={categories.map((value) => ({ value, label: words.categoryName(value) }))}
              onChoose={setCategory}
            />
            <DeliveryDetails run={run} deliver={deliver} onChange={setDeliver} />
          </>
        ) : (
          <span className="text-12 tone-danger" role="alert">
            {words.tooLate(hint.number, late)}
          </span>
        )}
        <span className="space" />
        <Button small onClick={onClose}>
          {text.common.cancel}
        </Button>
        {late === null ? (
          <Button small look="primary" disabled={!ready} onClick={save}>
            {words.saveEdit}
          </Button>
        ) : (
          <Button
            small
            look="primary"
            disabled={!draftFree}
            onClick={() => {
              changeDraft({ text: typed, category, deliver });
              onClose();
            }}
          >
            {words.keepAsDraft}
          </Button>
        )}
      </div>
    </li>
  );
}
