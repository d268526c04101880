import { useMemo, useState } from 'react';
import { create } from 'zustand';
import { Button, IconButton } from '../../components/Button';
import { Segmented } from '../../components/Tabs';
import { attempt, toast } from '../../state/toasts';
import { useView } from '../../state/view';
import { useText } from '../../text/language';
import { excerpt } from './action-code';
import { type ContentHint, type ContentKind, contentKind } from './content-kind';
import { FindInText } from './FindInText';
import { firstPart } from './legible';
import { Rendered } from './Rendered';
import './rendering.css';

const key = 'waymark.raw';

/** Kinds of content that the person reads as they are; kept in the window's own storage. */
const useRaw = create<ReadonlySet<string>>()(() => stored());

function stored(): ReadonlySet<string> {
  const text = typeof localStorage === 'undefined' ? null : localStorage.getItem(key);
  return new Set((text ?? '').split(',').filter((each) => each !== ''));
}

/** Remembers how one kind of content is read from now on. */
function chooseRaw(kind: ContentKind, raw: boolean): void {
  const next = new Set(useRaw.getState());
  if (raw) next.add(kind);
  else next.delete(kind);
  useRaw.setState(next, true);
  localStorage.setItem(key, [...next].join(','));
}

export interface RenderedTextProps {
  text: string;
  hint: ContentHint;
  /** Lines shown at first. */
  lines: number;
}

const FIRST = 6000;
/** What "Show more" adds, and what is shown of a text that is opened, UTF-16 units. */
const CHUNK = 64 * 1024;
/** A text up to this is shown whole when asked for whole. */
const WHOLE = 512 * 1024;
/** From here on a text is searched in itself. */
const SEARCHED = 2000;

/** Kinds that show their own first part. */
const bounded: ReadonlySet<ContentKind> = new Set(['json', 'table', 'image', 'markdown']);

/** A text of any length, shown as what it is or as it is: its first part, more when asked for, a search, a copy. */
export function RenderedText({ text, hint, lines }: RenderedTextProps) {
  const words = useText();
  const own = words.rendering;
  const { format } = words.common;
  const opened = useView((state) => state.expanded);
  const [chunks, setChunks] = useState<number | null>(null);
  const [finding, setFinding] = useState(false);
  const { origin, path, language } = hint;
  const kind = useMemo(() => contentKind(text, { origin, path, language }), [text, origin, path, language]);
  const raw = useRaw((kinds) => kinds.has(kind));
  const first = useMemo(() => excerpt(text, lines, FIRST).text, [text, lines]);
  const size = chunks ?? (opened ? 1 : 0);
  const part = useMemo(() => (size === 0 ? first : firstPart(text, size * CHUNK)), [text, first, size]);
  if (text.trim() === '') return <pre className="code quiet">{words.detail.empty}</pre>;
  const inParts = raw || !bounded.has(kind) || kind === 'markdown';
  const left = inParts ? text.length - part.length : 0;
  // Half a list or half a table is another one: a cut text is taken apart only as far as it is shown.
  const whole = kind === 'markdown' ? part : text;
  const tools = (kind !== 'plain' && kind !== 'code') || text.length > SEARCHED;
  return (
    <div className="rendered" data-kind={raw ? 'raw' : kind}>
      <div className={`rendered-tools ${tools ? '' : 'rendered-tools-quiet'}`}>
        {kind !== 'plain' && (
          <Segmented<'rendered' | 'raw'>
            label={own.shownAs}
            items={[
              { id: 'rendered', label: own.kind(kind) },
              { id: 'raw', label: own.raw },
            ]}
            chosen={raw ? 'raw' : 'rendered'}
            onChoose={(next) => chooseRaw(kind, next === 'raw')}
          />
        )}
        {text.length > SEARCHED && (
          <IconButton
            small
            icon="search"
            label={own.find}
            aria-pressed={finding}
            onClick={() => setFinding(!finding)}
          />
        )}
        <IconButton
          small
          icon="copy"
          label={own.copy}
          onClick={() =>
            attempt(async () => {
              await navigator.clipboard.writeText(text);
              toast((now) => now.rendering.copied(now.common.format.bytes(text.length)));
            })
          }
        />
      </div>
      {finding && <FindInText text={text} onClose={() => setFinding(false)} />}
      <Rendered part={part} whole={whole} kind={kind} raw={raw} hint={hint} />
      {(left > 0 || size > 0) && inParts && text.length > first.length && (
        <div className="rendered-more">
          {left > 0 && (
            <Button look="ghost" small onClick={() => setChunks(size + 1)}>
              {size === 0 && text.length <= CHUNK
                ? words.detail.showAll(format.bytes(text.length))
                : own.showMore(format.bytes(Math.min(left, CHUNK)), format.bytes(left))}
            </Button>
          )}
          {left > CHUNK && text.length <= WHOLE && (
            <Button look="ghost" small onClick={() => setChunks(Math.ceil(text.length / CHUNK))}>
              {words.detail.showAll(format.bytes(text.length))}
            </Button>
          )}
          {size > 0 && (
            <Button look="ghost" small onClick={() => setChunks(0)}>
              {words.detail.showLess}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
