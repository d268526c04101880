import type { HintCategory } from '@shared/outbox';
import type { RunSummary } from '@shared/views';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Select, TextArea } from '../../components/Field';
import { useCommand } from '../../state/commands';
import { keepDraft, namesLiteral, queueHint, readDraft } from '../../state/hints';
import { hasEnded } from '../../state/runs';
import { toastFailure } from '../../state/toasts';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../frame/CommandKeys';

const categories = [
  'strategy',
  'correction',
  'information',
  'question',
  'other',
] as const satisfies HintCategory[];

export interface HintComposerProps {
  run: RunSummary;
  /** Counts up when the composer is asked for by key. */
  focusTurn: number;
  onLeave: () => void;
}

/** Where a hint is written. The draft is kept per run; Mod+Enter queues it, Escape leaves it. */
export function HintComposer({ run, focusTurn, onLeave }: HintComposerProps) {
  const text = useText();
  const words = text.hints;
  const writable = useWritable();
  const ended = hasEnded(run.state);
  const box = useRef<HTMLTextAreaElement>(null);
  const [draft, setDraft] = useState(() => readDraft(run.id));
  const [sending, setSending] = useState(false);
  const ready = draft.text.trim() !== '' && writable && !ended && !sending;

  useEffect(() => {
    if (focusTurn > 0) box.current?.focus();
  }, [focusTurn]);
  useEffect(() => keepDraft(run.id, draft.text, draft.category), [run.id, draft]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box grows with its text
  useLayoutEffect(() => {
    const area = box.current;
    if (area === null) return;
    area.style.height = '0';
    area.style.height = `${Math.max(80, Math.min(184, area.scrollHeight))}px`;
  }, [draft.text]);

  async function send(): Promise<void> {
    if (!ready) return;
    setSending(true);
    try {
      await queueHint(run.id, draft.text.trim(), draft.category);
      setDraft((before) => ({ ...before, text: '' }));
    } catch (thrown) {
      toastFailure(thrown);
    } finally {
      setSending(false);
    }
  }
  function leave(): void {
    box.current?.blur();
    document.querySelector<HTMLElement>('[role="grid"]')?.focus();
    onLeave();
  }
  useCommand('hint.queue', () => {
    if (document.activeElement !== box.current) return false;
    void send();
  });
  useCommand('app.escape', () => {
    if (document.activeElement !== box.current) return false;
    leave();
  });

  return (
    <div className="compose">
      <TextArea
        ref={box}
        className="compose-box"
        aria-label={words.compose}
        placeholder={words.placeholder}
        value={draft.text}
        onChange={(event) => setDraft((before) => ({ ...before, text: event.target.value }))}
      />
      <div className="row">
        <Select<HintCategory>
          small
          className="compose-kind"
          aria-label={words.category}
          value={draft.category}
          options={categories.map((value) => ({ value, label: words.categoryName(value) }))}
          onChoose={(category) => setDraft((before) => ({ ...before, category }))}
        />
        <span
          className={`text-12 cut ${ended || !writable ? 'tone-attention' : 'quiet'}`}
          title={words.generalText}
        >
          {ended
            ? words.ended
            : !writable
              ? words.blocked
              : namesLiteral(draft.text)
                ? words.general
                : words.deliver}
        </span>
        <span className="space" />
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
