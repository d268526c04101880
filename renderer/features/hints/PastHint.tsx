import type { RunSummary } from '@shared/contract/views';
import type { HintVerdict, HintView } from '@shared/log/outbox';
import { Button } from '../../components/Button';
import { LabelGlyph } from '../../components/LabelGlyph';
import { moveCursor } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { setTab, useView } from '../../state/view';
import { useText } from '../../text/language';
import { usePromptPane } from '../prompt/prompt-diff';
import { judgeHint } from './hints';

const verdicts = ['acted_on', 'ignored'] as const satisfies HintVerdict[];

/** A hint that left the queue: where it is in the context, the proof of it, and what became of it. */
export function PastHint({ run, hint }: { run: RunSummary; hint: HintView }) {
  const text = useText();
  const words = text.hints;
  const { step, prompt } = hint;
  const delivered = hint.state === 'delivered' && step !== null;
  const outcome = delivered
    ? step === 0
      ? words.deliveredTask
      : words.delivered(step)
    : hint.state === 'undelivered'
      ? words.undelivered(run.reason === null ? '' : text.runs.reason(run.reason))
      : words.withdrawnText;
  const answered = prompt !== null && prompt <= run.steps;
  return (
    <li className="queue-row queue-past" data-testid="past-hint" data-state={hint.state}>
      <span className="row queue-mark">
        <LabelGlyph state="hint" label={words.stateName(hint.state)} />
        <span className="mono-11 quiet">{hint.number}</span>
      </span>
      <div className="queue-text">
        <div className={`cut ${hint.state === 'withdrawn' ? 'queue-withdrawn' : ''}`} title={hint.text}>
          {hint.text}
        </div>
        <div className={`text-12 row queue-why ${hint.state === 'undelivered' ? 'tone-danger' : 'quiet'}`}>
          <span className="cut">
            {hint.deliveredAt === null
              ? outcome
              : `${outcome}, ${text.common.format.clock(hint.deliveredAt)}`}
          </span>
        </div>
      </div>
      {delivered && prompt !== null && (
        <span className="row queue-actions">
          <fieldset className="segmented-set row queue-verdict" aria-label={words.verdict}>
            {verdicts.map((verdict) => (
              <Button
                key={verdict}
                look="ghost"
                small
                aria-pressed={hint.verdict === verdict}
                onClick={() =>
                  attempt(() => judgeHint(run.id, hint, hint.verdict === verdict ? null : verdict))
                }
              >
                {verdict === 'acted_on' ? words.actedOn : words.ignored}
              </Button>
            ))}
          </fieldset>
          <Button
            look="ghost"
            small
            icon="eye"
            disabled={!answered}
            title={answered ? words.showPromptText(prompt) : words.promptNotYet}
            onClick={() => showPrompt(prompt)}
          >
            {words.showPrompt(prompt)}
          </Button>
        </span>
      )}
    </li>
  );
}

/** Opens the exact prompt of a step at the end of its last message, which carries the newest hints. */
function showPrompt(step: number): void {
  moveCursor(step);
  useView.setState({ promptChanges: false });
  usePromptPane.setState({ atHint: step });
  setTab('prompt');
}
