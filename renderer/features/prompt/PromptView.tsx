import type { PromptView as Prompt, PromptMessage } from '@shared/views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api';
import { Icon } from '../../components/Icon';
import { Segmented } from '../../components/Tabs';
import { useAnswer } from '../../state/answer';
import { useCurrentRun } from '../../state/runs';
import { useText } from '../../text/language';
import './prompt.css';
import { commonPrefix, gistOf, hasHint, promptParts, readable } from './prompt-parts';

export interface PromptViewProps {
  run: string;
  step: number;
  /** Opened as the changes since the step before (Shift+E). */
  changes: boolean;
}

type Mode = 'messages' | 'changes' | 'request';
const rowHeight = 28;
/** A longer message is cut on the screen until it is asked for whole. */
const shownCharacters = 60_000;

/** The very messages, tools and parameters that were sent for a step, and the proof that this is what was sent. */
export function PromptView({ run, step, changes }: PromptViewProps) {
  const words = useText();
  const text = words.prompt;
  const prompt = useAnswer(`${run} ${step}`, () => call('step.prompt', { run, step }));
  const before = useAnswer(step > 1 ? `${run} ${step - 1}` : null, () =>
    call('step.prompt', { run, step: step - 1 }),
  );
  const [mode, setMode] = useState<Mode>(changes ? 'changes' : 'messages');
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => setMode(changes ? 'changes' : 'messages'), [changes]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another prompt starts at its own end
  useEffect(() => setChosen(null), [run, step]);
  const limit = useCurrentRun()?.tokens.contextLimit ?? 0;
  const same = useMemo(() => {
    return prompt === null || before === null ? 0 : commonPrefix(before.messages, prompt.messages);
  }, [prompt, before]);

  if (prompt === null || prompt.step !== step)
    return <p className="prompt-note quiet">{words.common.loading}</p>;
  const first = mode === 'changes' ? same : 0;
  const at = Math.max(first, chosen ?? prompt.messages.length - 1);
  const message = prompt.messages[at];
  return (
    <section className="prompt" aria-label={text.of(step)}>
      <header className="prompt-head">
        <TokenBar prompt={prompt} limit={limit} />
        <Proof prompt={prompt} />
        <Segmented<Mode>
          label={text.view}
          items={[
            { id: 'messages', label: text.messages },
            { id: 'changes', label: text.changesSince(step - 1) },
            { id: 'request', label: text.request },
          ]}
          chosen={mode}
          onChoose={setMode}
        />
        {mode === 'changes' && before !== null && (
          <span className="text-12 quiet">{text.added(prompt.messages.length - same, same)}</span>
        )}
      </header>
      {mode === 'request' ? (
        <pre className="prompt-text prompt-request">
          {JSON.stringify({ ...prompt.request, tools: prompt.tools }, null, 2)}
        </pre>
      ) : (
        <div className="prompt-body">
          <MessageList
            messages={prompt.messages}
            first={first}
            same={before === null ? null : same}
            chosen={at}
            onChoose={setChosen}
          />
          {message !== undefined && <MessageText key={at} message={message} />}
        </div>
      )}
    </section>
  );
}

function TokenBar({ prompt, limit }: { prompt: Prompt; limit: number }) {
  const words = useText();
  const text = words.prompt;
  const parts = promptParts(prompt);
  const total = parts.reduce((sum, part) => sum + part.tokens, 0);
  const whole = Math.max(limit, total, 1);
  return (
    <>
      <p className="prompt-total">
        <b className="tabular">{text.tokens(total)}</b>
        {limit > 0 && <span className="quiet">{text.ofLimit(limit, Math.max(0, limit - total))}</span>}
      </p>
      <div className="prompt-bar" aria-hidden="true">
        {parts.map((part) => (
          <i
            key={part.kind}
            className={`prompt-part-${part.kind}`}
            style={{ width: `${(part.tokens / whole) * 100}%` }}
          />
        ))}
      </div>
      <ul className="prompt-legend text-11">
        {parts.map((part) => (
          <li key={part.kind}>
            <i className={`prompt-part-${part.kind}`} />
            {text.parts[part.kind]}{' '}
            <span className="tabular quiet">{words.common.format.count(part.tokens)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Proof({ prompt }: { prompt: Prompt }) {
  const text = useText().prompt;
  const short = `${prompt.sha256.slice(0, 8)}…${prompt.sha256.slice(-4)}`;
  return (
    <p className={`prompt-proof text-12 ${prompt.verified ? '' : 'tone-danger'}`} title={prompt.sha256}>
      <Icon name={prompt.verified ? 'check' : 'warning'} small />
      {prompt.verified ? text.verified : text.differs}
      <code className="mono-11 quiet">{text.hash(short)}</code>
    </p>
  );
}

interface MessageListProps {
  messages: readonly PromptMessage[];
  first: number;
  /** Messages from here on are new since the step before; null = not known. */
  same: number | null;
  chosen: number;
  onChoose: (index: number) => void;
}

function MessageList({ messages, first, same, chosen, onChoose }: MessageListProps) {
  const words = useText();
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: messages.length - first,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list opens at the chosen message
  useEffect(() => rows.scrollToIndex(Math.max(0, chosen - first)), [messages, first]);
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={words.prompt.messages}
      className="prompt-list"
      data-keys="own"
      onKeyDown={(event) => {
        const move = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        const next = chosen + move;
        if (move === 0 || next < first || next >= messages.length) return;
        event.preventDefault();
        onChoose(next);
        rows.scrollToIndex(next - first);
      }}
    >
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map((row) => {
          const index = first + row.index;
          const message = messages[index];
          if (message === undefined) return null;
          const marks = [
            index === chosen ? 'prompt-row-chosen' : '',
            same !== null && index >= same ? 'prompt-row-new' : '',
            hasHint(message) ? 'prompt-row-hint' : '',
          ];
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
            <div
              key={index}
              role="option"
              aria-selected={index === chosen}
              className={`prompt-row ${marks.join(' ')}`}
              style={{ transform: `translateY(${row.start}px)` }}
              onClick={() => onChoose(index)}
            >
              <span className="mono-11 quiet tabular">{index + 1}</span>
              <span className="quiet">{message.role}</span>
              <span className="cut">{gistOf(message)}</span>
              <span className="mono-11 quiet tabular">{words.common.format.count(message.tokens)}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function MessageText({ message }: { message: PromptMessage }) {
  const words = useText();
  const [whole, setWhole] = useState(false);
  const full = useMemo(() => readable(message), [message]);
  const shown = whole ? full : full.slice(0, shownCharacters);
  return (
    <article className="prompt-message" aria-label={words.prompt.message}>
      <header className="text-12">
        <b>{message.role}</b>
        <span className="quiet">
          {message.step === 0 ? words.prompt.head : words.prompt.step(message.step)}
        </span>
      </header>
      <pre className="prompt-text">{shown}</pre>
      {shown.length < full.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {words.prompt.showAll(full.length - shown.length)}
        </button>
      )}
    </article>
  );
}
