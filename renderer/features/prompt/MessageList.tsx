import type { PromptMessage } from '@shared/contract/views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';
import { gistOf } from './prompt-parts';
import type { GroupId, PromptRow } from './prompt-rows';
import { hasHint } from './prompt-rows';

const ROW = 28;
const PAGE = 12;

export interface MessageListProps {
  messages: readonly PromptMessage[];
  /** Tokens of all messages. */
  total: number;
  rows: readonly PromptRow[];
  chosen: number;
  /** Messages that hold the searched text. */
  hits: ReadonlySet<number>;
  /** Messages from here on are new or changed since the request before; null = not known. */
  changedFrom: number | null;
  /** Step of the request before. */
  since: number;
  onChoose: (index: number) => void;
  onToggle: (group: GroupId) => void;
}

/** The messages of a request: role, first line, and how much of the whole each takes. */
export function MessageList(props: MessageListProps) {
  const { messages, rows, chosen, onChoose, onToggle } = props;
  const words = useText();
  const box = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const at = rows.findIndex((row) => row.kind === 'message' && row.index === chosen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen message is brought into view when it or the list changes
  useEffect(() => {
    if (at >= 0) lines.scrollToIndex(at);
  }, [at, messages]);

  function move(by: number): void {
    const forward = by > 0;
    let index = at;
    for (let left = Math.abs(by); left > 0; left -= 1) {
      const rest = forward ? rows.slice(index + 1) : rows.slice(0, Math.max(0, index)).reverse();
      const skip = rest.findIndex(({ kind }) => kind === 'message');
      if (skip < 0) break;
      index = forward ? index + 1 + skip : index - 1 - skip;
    }
    const row = rows[index];
    if (row?.kind === 'message') onChoose(row.index);
  }
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: PAGE,
    PageUp: -PAGE,
    Home: -rows.length,
    End: rows.length,
  };

  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={words.prompt.messages}
      aria-activedescendant={at >= 0 ? `prompt-message-${chosen}` : undefined}
      className="prompt-list"
      onKeyDown={(event) => {
        const by = moves[event.key];
        if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
          const group = rows.slice(0, at + 1).findLast((row) => row.kind === 'group');
          if (group?.kind === 'group') onToggle(group.id);
        } else if (by !== undefined) move(by);
        else if (event.key !== 'Enter') return;
        event.preventDefault();
      }}
    >
      <div className="prompt-space" style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div key={index} className="prompt-line" style={{ transform: `translateY(${start}px)` }}>
              <Line row={row} {...props} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Line({ row, ...list }: MessageListProps & { row: PromptRow }) {
  if (row.kind === 'group') return <GroupLine row={row} onToggle={list.onToggle} />;
  if (row.kind === 'prefix') return <PrefixLine row={row} since={list.since} />;
  const message = list.messages[row.index];
  return message === undefined ? null : <MessageLine index={row.index} message={message} {...list} />;
}

interface MessageLineProps extends Omit<MessageListProps, 'rows'> {
  index: number;
  message: PromptMessage;
}

function MessageLine({ index, message, total, chosen, hits, changedFrom, onChoose }: MessageLineProps) {
  const words = useText();
  const share = total === 0 ? 0 : message.tokens / total;
  const marks = [
    index === chosen ? 'prompt-row-chosen' : '',
    changedFrom !== null && index >= changedFrom ? 'prompt-row-new' : '',
    hasHint(message) ? 'prompt-row-hint' : '',
    hits.has(index) ? 'prompt-row-hit' : '',
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the arrow keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
    <div
      id={`prompt-message-${index}`}
      role="option"
      aria-selected={index === chosen}
      className={`prompt-row ${marks.join(' ')}`}
      onClick={() => onChoose(index)}
    >
      <span className="mono-11 quiet tabular">{index + 1}</span>
      <span className="quiet">{message.role}</span>
      <span className="cut">
        {message.step > 0 && <span className="mono-11 quiet tabular">{message.step} </span>}
        {gistOf(message)}
      </span>
      <span className="prompt-share" title={words.prompt.share(message.tokens, percent(share))}>
        <i style={{ width: `${Math.max(2, Math.sqrt(share) * 100)}%` }} />
        <span className="mono-11 quiet tabular">{words.common.format.count(message.tokens)}</span>
      </span>
    </div>
  );
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}

function GroupLine({
  row,
  onToggle,
}: {
  row: Extract<PromptRow, { kind: 'group' }>;
  onToggle: (group: GroupId) => void;
}) {
  const words = useText();
  const name = words.prompt.groups[row.id];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list opens and closes groups with the arrow keys
    <div role="presentation" className="prompt-group" onClick={() => onToggle(row.id)}>
      <Icon name={row.open ? 'down' : 'right'} small />
      <b>{row.steps === null ? name : words.prompt.group(name, row.steps.from, row.steps.to)}</b>
      <span className="quiet cut">{words.prompt.count(row.messages)}</span>
      <span className="mono-11 quiet tabular">{words.common.format.count(row.tokens)}</span>
    </div>
  );
}

function PrefixLine({ row, since }: { row: Extract<PromptRow, { kind: 'prefix' }>; since: number }) {
  const words = useText();
  return (
    <div role="presentation" className="prompt-prefix">
      <Icon name="up" small />
      <span className="cut">{words.prompt.prefixRow(row.messages, since, row.tokens)}</span>
    </div>
  );
}
