import type { SessionView } from '@shared/views';
import { useEffect, useState } from 'react';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useCommand } from '../../state/commands';
import { useDetail } from '../../state/detail';
import { chooseSession, nextSession, startSessions, useSessions, zoomed } from '../../state/sessions';
import { useTimeline } from '../../state/timeline';
import { useText } from '../../text/language';
import './terminals.css';
import { usePreview } from './session-preview';
import { TerminalView } from './TerminalView';

type When = 'live' | 'step';

/** Every session of the run: the list with its last lines, and one of them large, live or as it was at the cursor's step. */
export function TerminalWall({ initial = 'live' }: { initial?: When }) {
  const words = useText();
  const text = words.terminals;
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const { list, loaded, chosen } = useSessions();
  const [when, setWhen] = useState<When>(initial);
  const offsets = useDetail(run, cursor)?.offsets;
  useEffect(startSessions, []);
  const current = zoomed(list, chosen);
  useCommand('look.terminal', () => {
    const next = nextSession(list, chosen);
    if (next === undefined) return false;
    chooseSession(next.uid);
  });
  useCommand('look.terminalWall', () => setWhen(when === 'live' ? 'step' : 'live'));

  if (current === undefined) {
    return loaded || run === null ? (
      <Empty icon="terminal" title={text.emptyTitle} text={text.emptyText} />
    ) : null;
  }
  const name = `${current.computer}:${current.session}`;
  const until = when === 'live' ? null : (offsets?.[name] ?? null);
  return (
    <section className="terminals" aria-label={text.title}>
      <header className="pane-head">
        <h2>{text.title}</h2>
        <Segmented<When>
          label={text.when}
          items={[
            { id: 'live', label: text.live },
            { id: 'step', label: text.atStep(cursor) },
          ]}
          chosen={when}
          onChoose={setWhen}
        />
        <span className="space" />
        <span className="text-12 quiet">
          {text.counts(new Set(list.map((each) => each.computer)).size, list.length)}
        </span>
      </header>
      <div className="terminals-body">
        <ul className="terminal-list" aria-label={text.sessions}>
          {list.map((session) => (
            <SessionCard key={session.uid} session={session} chosen={session.uid === current.uid} />
          ))}
        </ul>
        <div className="terminal-zoom">
          <header className="terminal-head">
            <b className="mono-12">{name}</b>
            <span className="mono-12 quiet cut">{current.command ?? ''}</span>
            <span className="space" />
            <span className="text-12 quiet tabular">{`${current.cols}×${current.rows}`}</span>
            <span className="text-12 quiet">{text.states[current.state]}</span>
          </header>
          {when === 'step' && until === null ? (
            <Empty icon="terminal" title={text.notYetTitle} text={text.notYetText} />
          ) : (
            <TerminalView key={`${current.uid}/${until ?? 'live'}`} session={current} until={until} />
          )}
        </div>
      </div>
    </section>
  );
}

function SessionCard({ session, chosen }: { session: SessionView; chosen: boolean }) {
  const words = useText();
  const lines = usePreview(session);
  const state =
    session.exitCode === null
      ? words.terminals.states[session.state]
      : words.terminals.exited(session.exitCode);
  return (
    <li>
      <button
        type="button"
        className="terminal-card"
        aria-pressed={chosen}
        onClick={() => chooseSession(session.uid)}
      >
        <span className="terminal-card-head">
          <b className="mono-12 cut">{`${session.computer}:${session.session}`}</b>
          <span className="text-11 quiet">{state}</span>
        </span>
        <span className="terminal-card-lines mono-11">
          {lines.length === 0 ? words.terminals.silent : lines.join('\n')}
        </span>
      </button>
    </li>
  );
}
