import type { RunSummary } from '@shared/contract/views';
import type { HintCategory } from '@shared/log/outbox';
import { nudge } from '@shared/runs/hint-nudge';
import { hasEnded } from '@shared/runs/run-status';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Select, TextArea } from '../../components/Field';
import { useCommand } from '../../state/keys/commands';
import { attempt, toastFailure } from '../../state/toasts';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { DeliveryDetails, DeliverySelect, hasDetails } from './DeliveryFields';
import { categories, changeDraft, useHintDraft } from './hint-draft';
import { queueDraft } from './hints';
import { openTrial } from './rehearsal';

export interface HintComposerProps {
  run: RunSummary;
  /** Counts up when the composer is asked for by key. */
  focusTurn: number;
}

/** Where a hint is written. The draft is kept per run; Mod+Enter queues it, Escape leaves it (the dock does that). */
export function HintComposer({ run, focusTurn }: HintComposerProps) {
  const text = useText();
  const words = text.hints;
  const writable = useWritable();
  const ended = hasEnded(run.state);
  const box = useRef<HTMLTextAreaElement>(null);
  const draft = useHintDraft((state) => state.draft);
  const [sending, setSending] = useState(false);
  const written = draft.text.trim() !== '';
  const ready = written && writable && !ended && !sending;
  const tryable = written && !ended && run.steps > 0;

  useEffect(() => {
    if (focusTurn > 0) box.current?.focus();
  }, [focusTurn]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box grows with its text
  useLayoutEffect(() => {
    const area = box.current;
    if (area === null) return;
    area.style.height = '0';
    area.style.height = `${Math.max(52, Math.min(160, area.scrollHeight))}px`;
  }, [draft.text]);

  async function send(): Promise<void> {
    if (!ready) return;
    setSending(true);
    try {
      await queueDraft(run.id);
    } catch (thrown) {
      toastFailure(thrown);
    } finally {
      setSending(false);
    }
  }
  function rehearse(): void {
    if (tryable) attempt(() => openTrial(run.id, draft.text.trim()));
  }
  useCommand('hint.queue', () => {
    if (document.activeElement !== box.current) return false;
    void send();
  });
  useCommand('hint.try', rehearse);

  return (
    <div className="compose">
      <TextArea
        ref={box}
        className="compose-box"
        aria-label={words.compose}
        placeholder={words.placeholder}
        value={draft.text}
        onChange={(event) => changeDraft({ text: event.target.value })}
      />
      <div className="row compose-note">
        {!ended && writable && hasDetails(draft.deliver) ? (
          <DeliveryDetails
            run={run}
            deliver={draft.deliver}
            onChange={(deliver) => changeDraft({ deliver })}
          />
        ) : (
          <ComposerNote ended={ended} writable={writable} />
        )}
      </div>
      <div className="row">
        <DeliverySelect deliver={draft.deliver} onChange={(deliver) => changeDraft({ deliver })} />
        <Select<HintCategory>
          small
          className="compose-kind"
          aria-label={words.category}
          value={draft.category}
          options={categories.map((value) => ({ value, label: words.categoryName(value) }))}
          onChoose={(category) => changeDraft({ category })}
        />
        <span className="space" />
        <Button small title={words.tryText} disabled={!tryable} onClick={rehearse}>
          {words.tryIt}
        </Button>
        <Button
          look="primary"
          small
          disabled={!ready}
          keys={<CommandKeys command="hint.queue" />}
          onClick={() => void send()}
        >
          {words.queue}
        </Button>
      </div>
    </div>
  );
}

/** One line under the draft: why it cannot be sent, whether it could be a rule, or when it arrives. */
function ComposerNote({ ended, writable }: { ended: boolean; writable: boolean }) {
  const words = useText().hints;
  const draft = useHintDraft((state) => state.draft);
  const literal = nudge(draft.text);
  if (ended || !writable)
    return <span className="text-12 cut tone-attention">{ended ? words.ended : words.blocked}</span>;
  if (literal !== null)
    return (
      <span className="text-12 cut" title={words.generalText(literal.found)}>
        <span className="tone-hint">{words.general}</span>{' '}
        <span className="quiet">{words.generalText(literal.found)}</span>
      </span>
    );
  return <span className="text-12 cut quiet">{words.deliverHelp(draft.deliver.when)}</span>;
}
