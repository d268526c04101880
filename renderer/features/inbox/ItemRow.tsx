import type { AttentionItem, AttentionKind } from '@shared/runs/attention/attention';
import type { IconName } from '../../components/Icon';
import { Icon } from '../../components/Icon';
import { attempt } from '../../state/toasts';
import { itemSentence } from '../../text/item-words';
import { useText } from '../../text/language';
import { goTo } from './attention';

const icons: Record<AttentionKind, IconName> = {
  asks_you: 'question',
  failed: 'warning',
  paused: 'pause',
  host_lost: 'unlinked',
  error_streak: 'warning',
  gpu_idle: 'chip',
  secret_seen: 'key',
  score_dropped: 'score',
  budget: 'clock',
  finished: 'done',
  hint_delivered: 'hint',
  stood_still: 'moon',
  summary_lost: 'book',
  impatience: 'clock',
  contention: 'chip',
  forgotten_session: 'terminal',
  template_thought: 'copy',
  repeated_action: 'repeat',
  early_finish: 'done',
};

const tones = { 1: 'tone-danger', 2: 'tone-attention', 3: 'quiet' } as const;

/** One item: what it is in a sentence, where, and when. Goes to its step. */
export function ItemRow({ item, now }: { item: AttentionItem; now: number }) {
  const text = useText();
  const { format } = text.common;
  const sentence = itemSentence(item, text, now);
  const step = item.step === null ? null : format.count(item.step);
  return (
    <button
      type="button"
      className="inbox-item"
      data-item=""
      data-kind={item.kind}
      aria-label={text.inbox.go(sentence, step)}
      onClick={() => attempt(() => goTo(item.run, item.step))}
    >
      <span className={tones[item.urgency]}>
        <Icon name={icons[item.kind]} />
      </span>
      <span className="inbox-sentence">{sentence}</span>
      <span className="inbox-where tabular">
        {item.open && <span className="inbox-open">{text.inbox.open}</span>}
        {step !== null && <span>{text.inbox.atStep(step)}</span>}
        <time>{format.ago(item.at, now)}</time>
      </span>
    </button>
  );
}
