import type { PromptDiff } from '@shared/context/prompt-diff';
import type { PromptView } from '@shared/contract/views';
import { useMemo } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useDetail } from '../../state/run/detail';
import { useCurrentRun } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { promptParts } from './prompt-parts';
import { bodyOf } from './prompt-rows';

export interface PromptHeadProps {
  prompt: PromptView;
  /** What is unchanged since the request of step `since`. */
  prefix: PromptDiff['prefix'] | null;
  since: number;
}

/** How much of the context the request takes and of what, what of it was there before, and the proof that it was sent. */
export function PromptHead({ prompt, prefix, since }: PromptHeadProps) {
  const words = useText();
  const text = words.prompt;
  const limit = useCurrentRun()?.tokens.contextLimit ?? 0;
  const run = useTimeline((state) => state.run);
  const cached = useDetail(run, prompt.step)?.usage?.cachedTokens ?? 0;
  const parts = useMemo(() => promptParts(prompt), [prompt]);
  const total = parts.reduce((sum, part) => sum + part.tokens, 0);
  const whole = Math.max(limit, total, 1);
  const tools = parts.find(({ kind }) => kind === 'tools')?.tokens ?? 0;
  const edge = prefix === null || prefix.messages === 0 ? 0 : (prefix.tokens + tools) / whole;
  return (
    <div className="prompt-measure">
      <p className="prompt-total">
        <b className="tabular">{text.tokens(total)}</b>
        {limit > 0 && (
          <span className="quiet">
            {total > limit ? text.ofLimitFull(limit) : text.ofLimit(limit, limit - total)}
          </span>
        )}
        {cached > 0 && <span className="quiet text-12">{text.cached(cached)}</span>}
        <span className="space" />
        <Proof prompt={prompt} />
      </p>
      <div className="prompt-bar" aria-hidden="true">
        {parts.map((part) => (
          <i
            key={part.kind}
            className={`prompt-part-${part.kind}`}
            title={`${text.parts[part.kind]} ${words.common.format.count(part.tokens)}`}
            style={{ width: `${(part.tokens / whole) * 100}%` }}
          />
        ))}
        {edge > 0 && <b className="prompt-edge" style={{ left: `${Math.min(100, edge * 100)}%` }} />}
      </div>
      <ul className="prompt-legend text-11">
        {parts.map((part) => (
          <li key={part.kind}>
            <i className={`prompt-part-${part.kind}`} />
            {text.parts[part.kind]}{' '}
            <span className="tabular quiet">{words.common.format.count(part.tokens)}</span>
          </li>
        ))}
        {edge > 0 && prefix !== null && (
          <li>
            <i className="prompt-edge-key" />
            {text.prefixMark(since, prefix.tokens + tools)}
          </li>
        )}
      </ul>
    </div>
  );
}

function Proof({ prompt }: { prompt: PromptView }) {
  const words = useText();
  const text = words.prompt;
  if (prompt.sha256 === '') return <span className="prompt-proof text-12">{text.imported}</span>;
  if (prompt.purged) return <span className="prompt-proof text-12">{text.purged}</span>;
  const short = `${prompt.sha256.slice(0, 8)}…${prompt.sha256.slice(-4)}`;
  const size = words.common.format.bytes(prompt.bytes);
  return (
    <span className="prompt-proof text-12">
      <span className={`row ${prompt.verified ? '' : 'tone-danger'}`} title={prompt.sha256}>
        <Icon name={prompt.verified ? 'check' : 'warning'} small />
        {prompt.verified ? (
          <>
            <span className="prompt-roomy">{text.verified}</span>
            <span className="prompt-tight" title={text.verified}>
              {text.verifiedShort}
            </span>
          </>
        ) : (
          text.differs
        )}
        <code className="mono-11 quiet">{text.hash(short)}</code>
        <span className="quiet tabular prompt-size">{text.bytes(size)}</span>
      </span>
      <Button
        look="ghost"
        small
        icon="copy"
        title={text.copyBodyText}
        onClick={() =>
          attempt(async () => {
            await navigator.clipboard.writeText(bodyOf(prompt));
            toast((now) => now.prompt.copied(size));
          })
        }
      >
        {text.copyBody}
      </Button>
    </span>
  );
}
