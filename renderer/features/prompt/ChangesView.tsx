import type { PromptChange, PromptDiff } from '@shared/context/prompt-diff';
import type { PromptMessage, PromptView } from '@shared/contract/views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { Empty } from '../../components/Empty';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';
import { ChangeText } from './ChangeText';
import { gistOf } from './prompt-parts';
import type { ChangeRow } from './prompt-rows';
import { changeRows } from './prompt-rows';
import './prompt-changes.css';

const ROW = 28;
/** Articles shown at once, from the chosen change on. */
const SHOWN = 6;

export interface ChangesViewProps {
  before: PromptView;
  prompt: PromptView;
  diff: PromptDiff;
}

/** What is new, changed and gone since the request before. */
export function ChangesView({ before, prompt, diff }: ChangesViewProps) {
  const text = useText().prompt;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [chosen, setChosen] = useState<PromptChange | null>(null);
  const rows = useMemo(() => changeRows(diff.changes, open), [diff, open]);
  const differing = useMemo(() => diff.changes.filter(({ kind }) => kind !== 'same'), [diff]);
  const first = chosen ?? differing.find(({ kind }) => kind !== 'removed') ?? differing[0] ?? null;
  const at = first === null ? -1 : differing.indexOf(first);
  const shown = first === null ? [] : at < 0 ? [first] : differing.slice(at, at + SHOWN);

  function toggle(row: Extract<ChangeRow, { kind: 'fold' }>): void {
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(row.id)) next.add(row.id);
      return next;
    });
  }
  return (
    <>
      <DiffSummary diff={diff} prompt={prompt} />
      <div className="prompt-body">
        <div className="prompt-side">
          <ChangeList
            rows={rows}
            before={before}
            prompt={prompt}
            chosen={first}
            onChoose={setChosen}
            onToggle={toggle}
          />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard */}
        <section className="prompt-articles" aria-label={text.changesList} tabIndex={0} data-pane-focus>
          {shown.length === 0 && <Empty title={text.changesEmpty} />}
          {shown.map((change) => (
            <ChangeText
              key={`${'before' in change ? change.before : ''} ${'after' in change ? change.after : ''}`}
              change={change}
              before={'before' in change ? before.messages[change.before] : undefined}
              after={'after' in change ? prompt.messages[change.after] : undefined}
            />
          ))}
        </section>
      </div>
    </>
  );
}

function DiffSummary({ diff, prompt }: { diff: PromptDiff; prompt: PromptView }) {
  const words = useText();
  const text = words.prompt;
  const { tools, parameters, prefix, replaced, tokens } = diff;
  const count = (kind: PromptChange['kind']) => diff.changes.filter((change) => change.kind === kind).length;
  const broken = parameters.length + tools.added.length + tools.removed.length + tools.changed.length > 0;
  const lines = [
    broken ? text.prefixNone : text.prefixOf(prefix.messages, prompt.messages.length, prefix.tokens),
    replaced === null ? '' : text.replaced(replaced.from, replaced.to, replaced.messages, replaced.tokens),
    tools.added.length > 0 ? text.toolsAdded(tools.added.join(', ')) : '',
    tools.removed.length > 0 ? text.toolsRemoved(tools.removed.join(', ')) : '',
    tools.changed.length > 0 ? text.toolsChanged(tools.changed.join(', ')) : '',
    ...parameters.map(({ name, before, after }) =>
      text.parameter(name, before ?? text.absent, after ?? text.absent),
    ),
  ];
  return (
    <div className="prompt-summary text-12">
      <p className="prompt-counts">
        {(['added', 'changed', 'removed'] as const).map(
          (kind) =>
            count(kind) > 0 && (
              <span key={kind} className={`prompt-count prompt-count-${kind}`}>
                <b className="tabular">{words.common.format.count(count(kind))}</b> {text.counts[kind]}
              </span>
            ),
        )}
        <span className="quiet tabular">{text.tokensChange(tokens.before, tokens.after)}</span>
      </p>
      {lines
        .filter((line) => line !== '')
        .map((line) => (
          <p key={line}>{line}</p>
        ))}
    </div>
  );
}

interface ChangeListProps extends Omit<ChangesViewProps, 'diff'> {
  rows: readonly ChangeRow[];
  chosen: PromptChange | null;
  onChoose: (change: PromptChange) => void;
  onToggle: (row: Extract<ChangeRow, { kind: 'fold' }>) => void;
}

function ChangeList({ rows, before, prompt, chosen, onChoose, onToggle }: ChangeListProps) {
  const text = useText().prompt;
  const box = useRef<HTMLDivElement>(null);
  // Where the keys are: a change, or a fold that Enter opens.
  const [cursor, setCursor] = useState<number | null>(null);
  const lines = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const at = cursor ?? rows.findIndex((row) => row.kind === 'change' && row.change === chosen);

  function go(index: number): void {
    const row = rows[index];
    if (row === undefined) return;
    setCursor(index);
    if (row.kind === 'change') onChoose(row.change);
    lines.scrollToIndex(index);
  }
  function onKeyDown(event: React.KeyboardEvent): void {
    const row = rows[at];
    if (event.key === 'ArrowDown') go(at + 1);
    else if (event.key === 'ArrowUp') go(at - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(rows.length - 1);
    else if (['Enter', 'ArrowLeft', 'ArrowRight'].includes(event.key)) {
      if (row?.kind === 'fold') onToggle(row);
    } else return;
    event.preventDefault();
  }
  return (
    <div
      ref={box}
      role="listbox"
      tabIndex={0}
      aria-label={text.changesList}
      aria-activedescendant={at >= 0 ? `prompt-change-${at}` : undefined}
      className="prompt-list"
      onKeyDown={onKeyDown}
    >
      <div className="prompt-space" style={{ height: lines.getTotalSize() }}>
        {lines.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the list holds the focus
            <div
              key={index}
              id={`prompt-change-${index}`}
              role="option"
              aria-selected={index === at}
              className={`prompt-line ${index === at ? 'prompt-row-chosen' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => {
                go(index);
                if (row.kind === 'fold') onToggle(row);
              }}
            >
              {row.kind === 'fold' ? (
                <FoldLine row={row} />
              ) : (
                <ChangeLine change={row.change} before={before} prompt={prompt} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function FoldLine({ row }: { row: Extract<ChangeRow, { kind: 'fold' }> }) {
  const text = useText().prompt;
  const n = row.changes.length;
  const name = {
    same: text.foldSame(n),
    removed: text.foldRemoved(n),
    added: text.foldAdded(n),
    changed: text.foldChanged(n),
  }[row.what];
  return (
    <div className={`prompt-fold prompt-row-${row.what}`}>
      <Icon name={row.open ? 'down' : 'right'} small />
      <span className="cut">{name}</span>
    </div>
  );
}

const signs = { same: '', removed: '−', added: '+', changed: '~' } as const;

function ChangeLine({ change, before, prompt }: { change: PromptChange } & Omit<ChangesViewProps, 'diff'>) {
  const words = useText();
  const message: PromptMessage | undefined =
    change.kind === 'removed' ? before.messages[change.before] : prompt.messages[change.after];
  if (message === undefined) return null;
  const number = change.kind === 'removed' ? change.before + 1 : change.after + 1;
  return (
    <div className={`prompt-row prompt-row-${change.kind}`}>
      <span className="mono-11 quiet tabular">{`${signs[change.kind]}${number}`}</span>
      <span className="quiet">{message.role}</span>
      <span className="cut">
        {message.step > 0 && <span className="mono-11 quiet tabular">{message.step} </span>}
        {change.kind === 'changed' ? words.prompt.reason[change.reason.why] : gistOf(message)}
      </span>
      <span className="mono-11 quiet tabular">{words.common.format.count(message.tokens)}</span>
    </div>
  );
}
