import type { PromptDiff } from '@shared/context/prompt-diff';
import type { PromptView, SegmentView } from '@shared/contract/views';
import { useMemo, useState } from 'react';
import { Empty } from '../../components/Empty';
import { Select, TextField } from '../../components/Field';
import { PreviousNext } from '../../components/PreviousNext';
import { useText } from '../../text/language';
import { MessageList } from './MessageList';
import { MessageText } from './MessageText';
import { usePromptPane } from './prompt-diff';
import type { GroupId, RoleFilter } from './prompt-rows';
import { findMessages, ownFrom, promptRows } from './prompt-rows';

const roles = ['all', 'system', 'user', 'assistant', 'tool', 'hints'] as const satisfies RoleFilter[];

export interface MessagesViewProps {
  prompt: PromptView;
  prefix: PromptDiff['prefix'] | null;
  since: number;
  segments: readonly SegmentView[];
}

/** All messages of a request: a list to jump in, one of them to read. */
export function MessagesView({ prompt, prefix, since, segments }: MessagesViewProps) {
  const text = useText().prompt;
  const { messages } = prompt;
  const [role, setRole] = useState<RoleFilter>('all');
  const [closed, setClosed] = useState<ReadonlySet<GroupId>>(new Set());
  const [chosen, setChosen] = useState<number | null>(null);
  const [query, setQuery] = useState('');
  const atHint = usePromptPane((state) => state.atHint);
  const first = ownFrom(segments, prompt.step);
  const rows = useMemo(
    () => promptRows({ messages, ownFrom: first, role, closed, prefix }),
    [messages, first, role, closed, prefix],
  );
  const found = useMemo(() => findMessages(messages, query), [messages, query]);
  const hits = useMemo(() => new Set(found), [found]);
  const total = useMemo(() => messages.reduce((sum, { tokens }) => sum + tokens, 0), [messages]);
  // Images stand in a message after the observation that carries the hint.
  const hinted =
    atHint === prompt.step ? messages.findLastIndex(({ content }) => content.includes('<real_user>')) : -1;
  const at = Math.min(chosen ?? (hinted < 0 ? messages.length - 1 : hinted), messages.length - 1);
  const message = messages[at];
  const place = found.indexOf(at) + 1;

  function jump(direction: 1 | -1): void {
    const next =
      direction === 1
        ? (found.find((index) => index > at) ?? found[0])
        : (found.findLast((index) => index < at) ?? found.at(-1));
    if (next !== undefined) setChosen(next);
  }
  function toggle(group: GroupId): void {
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(group)) after.add(group);
      return after;
    });
  }
  return (
    <div className="prompt-body">
      <div className="prompt-side">
        <div className="prompt-tools">
          <Select<RoleFilter>
            small
            aria-label={text.role}
            value={role}
            options={roles.map((value) => ({ value, label: text.roles[value] }))}
            onChoose={setRole}
          />
          <TextField
            type="search"
            className="prompt-find"
            aria-label={text.find}
            placeholder={text.find}
            value={query}
            onChange={(event) => {
              const typed = event.target.value;
              setQuery(typed);
              const now = findMessages(messages, typed);
              if (now.length > 0 && !now.includes(at))
                setChosen(now.find((index) => index > at) ?? now[0] ?? at);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              jump(event.shiftKey ? -1 : 1);
            }}
          />
          {query.trim() !== '' && (
            <>
              <span className="text-11 quiet tabular" role="status">
                {text.found(place, found.length)}
              </span>
              <PreviousNext previous={text.previousHit} next={text.nextHit} onMove={jump} />
            </>
          )}
        </div>
        {rows.length === 0 ? (
          <Empty title={text.noneShown} />
        ) : (
          <MessageList
            messages={messages}
            total={total}
            rows={rows}
            chosen={at}
            hits={hits}
            changedFrom={prefix?.messages ?? null}
            since={since}
            onChoose={setChosen}
            onToggle={toggle}
          />
        )}
      </div>
      {message !== undefined && (
        <MessageText
          key={`${prompt.step} ${at}`}
          run={prompt.run}
          message={message}
          share={total === 0 ? 0 : message.tokens / total}
          query={query}
          atHint={hinted >= 0 && at === hinted}
        />
      )}
    </div>
  );
}
