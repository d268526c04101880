import type { PromptView as SentPrompt } from '@shared/contract/views';
import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { PreviousNext } from '../../components/PreviousNext';
import { Segmented } from '../../components/Tabs';
import { useSegments } from '../../state/run/segments';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { setTab, useView } from '../../state/view';
import { useText } from '../../text/language';
import { ChangesView } from './ChangesView';
import { MessagesView } from './MessagesView';
import { useComparison, usePrompt, usePromptPane } from './prompt-diff';
import './prompt.css';
import { PromptHead } from './PromptHead';

export interface PromptViewProps {
  run: string;
  step: number;
  /** Opened as the changes since the request before (Shift+E). */
  changes: boolean;
}

type Mode = 'messages' | 'changes' | 'request';

/**
 * The very messages, tools and parameters that were sent for a step, and the proof that this is what was sent. In its
 * tab, or over the whole content when there is too little room in the tab.
 */
export function PromptView(props: PromptViewProps) {
  const mode = useView((state) => state.mode);
  const choice = usePromptPane((state) => state.large);
  const large = choice ?? mode === 'watch';
  const place = large ? document.querySelector('main.content') : null;
  const pane = <PromptPane {...props} large={place !== null} />;
  return place === null
    ? pane
    : createPortal(
        <div className="prompt-large" data-pane="prompt">
          {pane}
        </div>,
        place,
      );
}

function PromptPane({ run, step, changes, large }: PromptViewProps & { large: boolean }) {
  const words = useText();
  const text = words.prompt;
  const { prompt: shown, failure } = usePrompt(run, step);
  const compared = useComparison(run, shown);
  const segments = useSegments((state) => state.list);
  const steps = useTimeline((state) => state.steps);
  const [mode, setMode] = useState<Mode>(changes ? 'changes' : 'messages');
  useEffect(() => setMode(changes ? 'changes' : 'messages'), [changes]);
  const box = useRef<HTMLElement>(null);
  const ready = shown !== null;
  // What it covers must not keep the keys; they go back to the timeline when it is closed.
  useEffect(() => {
    // Who types goes on typing, also when the next step's prompt comes by itself.
    if (!large || !ready || document.activeElement?.matches('input, textarea, select') === true) return;
    box.current?.querySelector<HTMLElement>('[role="listbox"]')?.focus();
  }, [large, ready]);
  useEffect(() => {
    if (!large) return;
    return () => document.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true });
  }, [large]);

  return (
    <section ref={box} className="prompt" aria-label={text.of(step)} data-large={large}>
      <header className="prompt-head">
        {large && (
          <>
            <IconButton icon="close" label={words.common.close} onClick={() => setTab('step')} />
            <h2>{text.of(step)}</h2>
            <PreviousNext
              previous={text.previous}
              next={text.next}
              atFirst={step <= 1}
              atLast={step >= steps}
              onMove={(by) => moveCursor(step + by)}
            />
            <span className="space" />
          </>
        )}
        <Segmented<Mode>
          label={text.view}
          items={[
            { id: 'messages', label: text.messages },
            { id: 'changes', label: text.changesSince(compared.step) },
            { id: 'request', label: text.request },
          ]}
          chosen={mode}
          onChoose={setMode}
        />
        {!large && <span className="space" />}
        <Button
          look="ghost"
          small
          icon={large ? 'columns' : 'square'}
          onClick={() => usePromptPane.setState({ large: !large })}
        >
          {large ? text.shrink : text.enlarge}
        </Button>
      </header>
      {failure !== null && shown === null ? (
        <Empty icon="eye" title={text.noPrompt} text={`${text.noPromptText} ${failure.message}`} />
      ) : shown === null ? (
        <p className="prompt-note quiet">{words.common.loading}</p>
      ) : (
        <>
          {mode !== 'changes' && (
            <PromptHead prompt={shown} prefix={compared.diff?.prefix ?? null} since={compared.step} />
          )}
          {mode === 'messages' && (
            <MessagesView
              prompt={shown}
              prefix={compared.diff?.prefix ?? null}
              since={compared.step}
              segments={segments}
            />
          )}
          {mode === 'request' && <RequestView prompt={shown} />}
          {mode === 'changes' &&
            (compared.step === 0 ? (
              <Empty icon="eye" title={text.noBefore} text={text.noBeforeText} />
            ) : compared.failure !== null ? (
              <Empty icon="eye" title={text.noPrompt} text={compared.failure.message} />
            ) : compared.diff === null || compared.before === null ? (
              <p className="prompt-note quiet">{words.common.loading}</p>
            ) : (
              <ChangesView
                key={`${run} ${step}`}
                before={compared.before}
                prompt={shown}
                diff={compared.diff}
              />
            ))}
        </>
      )}
    </section>
  );
}

/** Parameters and tools exactly as sent; the messages are in their own view. */
function RequestView({ prompt }: { prompt: SentPrompt }) {
  const text = useText().prompt;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
    <section className="prompt-request" aria-label={text.request} data-pane-focus tabIndex={0}>
      <h3>{text.parameters}</h3>
      <pre className="prompt-text">{JSON.stringify(prompt.request, null, 2)}</pre>
      <h3>{text.tools(prompt.tools.length)}</h3>
      {prompt.tools.map((tool) => (
        <details key={tool.function.name} className="prompt-tool">
          <summary>
            <b className="mono-12">{tool.function.name}</b>
            <span className="quiet cut">{tool.function.description.split('\n')[0]}</span>
          </summary>
          <pre className="prompt-text">{JSON.stringify(tool, null, 2)}</pre>
        </details>
      ))}
    </section>
  );
}
