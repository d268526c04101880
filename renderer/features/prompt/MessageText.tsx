import type { PromptMessage } from '@shared/contract/views';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { StepImage } from '../images/StepImage';
import { percent } from './MessageList';
import { readable } from './prompt-parts';

/** A longer message is cut on the screen until it is asked for whole. */
const SHOWN = 60_000;
/** What the hints of an observation begin with, as the model reads them. */
const HINT_BEGINS = '<real_user>';
const HINT_ENDS = '</real_user>';

export interface MessageTextProps {
  /** The run whose log holds the request. */
  run: string;
  message: PromptMessage;
  /** Share of all messages, 0–1. */
  share: number;
  query: string;
  /** Opened for the hint at its end: that is shown first, and marked. */
  atHint: boolean;
}

/** One message: what a reader sees of it, or its JSON exactly as sent. */
export function MessageText({ run, message, share, query, atHint }: MessageTextProps) {
  const words = useText();
  const text = words.prompt;
  const [whole, setWhole] = useState(false);
  const [json, setJson] = useState(false);
  const box = useRef<HTMLElement>(null);
  const full = useMemo(() => (json ? message.json : readable(message)), [message, json]);
  // A hit beyond the cut is shown as well.
  const hit = query.trim() === '' ? -1 : full.toLowerCase().indexOf(query.trim().toLowerCase());
  const hint = atHint && !json && query.trim() === '' ? full.lastIndexOf(HINT_BEGINS) : -1;
  const shown = whole || Math.max(hit, hint) > SHOWN ? full : full.slice(0, SHOWN);
  const content = useMemo(
    () => (hint < 0 ? marked(shown, query) : withHint(shown, hint)),
    [shown, query, hint],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another hit is brought into view
  useEffect(() => {
    box.current?.querySelector('mark')?.scrollIntoView({ block: hint < 0 ? 'center' : 'start' });
  }, [content]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
    <section ref={box} className="prompt-message" aria-label={text.message} tabIndex={0} data-pane-focus>
      <header className="text-12">
        <b>{message.role}</b>
        <span className="quiet">{message.step === 0 ? text.head : text.step(message.step)}</span>
        <span className="quiet tabular">{text.share(message.tokens, percent(share))}</span>
        <span className="space" />
        <Button look="ghost" small aria-pressed={json} onClick={() => setJson(!json)}>
          {json ? text.asText : text.asJson}
        </Button>
        <Button
          look="ghost"
          small
          icon="copy"
          onClick={() =>
            attempt(async () => {
              await navigator.clipboard.writeText(message.json);
              toast((now) => now.prompt.copied(now.common.format.bytes(message.json.length)));
            })
          }
        >
          {text.copyMessage}
        </Button>
      </header>
      {!json &&
        (message.images ?? []).map((image, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the images of one message never move
          <StepImage key={at} run={run} image={image} />
        ))}
      <pre className="prompt-text">{content}</pre>
      {shown.length < full.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {text.showAll(full.length - shown.length)}
        </button>
      )}
    </section>
  );
}

/** A message with the hints at its end marked; `from` is where they begin. */
function withHint(text: string, from: number): ReactNode {
  const end = text.indexOf(HINT_ENDS, from);
  const to = end < 0 ? text.length : end + HINT_ENDS.length;
  return (
    <>
      {text.slice(0, from)}
      <mark className="prompt-hint">{text.slice(from, to)}</mark>
      {text.slice(to)}
    </>
  );
}

/** So many places are marked at most; a text with more is still searched and shown whole. */
const MOST = 500;

/** A text with each occurrence of `query` marked, ignoring case. */
function marked(text: string, query: string): ReactNode {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return text;
  const searched = text.toLowerCase();
  // Lower case may be longer than the text it came from; then places would be off.
  if (searched.length !== text.length) return text;
  const pieces: ReactNode[] = [];
  let from = 0;
  for (let at = searched.indexOf(wanted); at >= 0 && pieces.length < MOST * 2; ) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
    at = searched.indexOf(wanted, from);
  }
  pieces.push(text.slice(from));
  return pieces;
}
