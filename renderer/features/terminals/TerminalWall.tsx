import { useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useNow } from '../../components/useNow';
import { useCommand } from '../../state/keys/commands';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { startOwnTerminals, useOwnTerminals } from './own-terminals';
import { loadSessions, startSessions, useSessions, useSessionsAt } from './sessions';
import type { Shown } from './sessions-shown';
import {
  chooseTerminal,
  idOf,
  leaveMoment,
  nameOf,
  nextShown,
  shownAt,
  shownList,
  useShown,
  zoomed,
} from './sessions-shown';
import './terminals.css';
import { hasEnded } from '@shared/runs/run-status';
import { OpenMenu } from './OpenMenu';
import { OwnPlace } from './OwnPlace';
import { SessionCard } from './SessionCard';
import { SessionSearch } from './SessionSearch';
import { watchRun } from './watched-terminals';
import { Zoom } from './Zoom';

type When = 'live' | 'step';

/** Every session of the run and the person's own terminals: as a wall, or as a list with one of them large. */
export function TerminalWall({ initial = 'live' }: { initial?: When }) {
  const words = useText();
  const text = words.terminals;
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const over = useRuns(({ list, current }) => {
    const shown = list.find(({ id }) => id === current);
    return shown !== undefined && hasEnded(shown.state);
  });
  const { list: sessions, loaded } = useSessions();
  const own = useOwnTerminals();
  const { chosen, wall, searching, moment } = useShown();
  const [when, setWhen] = useState<When>(initial);
  const then = useSessionsAt(run, cursor, when === 'step');
  const now = useNow(1000);
  const pane = useRef<HTMLElement>(null);
  useEffect(startSessions, []);
  useEffect(startOwnTerminals, []);
  useEffect(() => {
    if (run === null) return;
    attempt(async () => {
      await watchRun(run);
      // What grew before anybody listened.
      loadSessions(run);
    });
  }, [run]);
  // In Review it is the step that counts, and the person's terminals have no steps.
  const present = shownList(sessions, initial === 'live' && when === 'live' ? own.list : []);
  const list = when === 'live' ? present : shownAt(present, then);
  const zoom = zoomed(present, chosen);
  const current = zoom && list.find((shown) => idOf(shown) === idOf(zoom));
  useCommand('look.terminal', () => {
    const next = wall ? current : nextShown(present, chosen);
    if (next === undefined) return false;
    chooseTerminal(idOf(next));
  });
  useCommand('look.terminalWall', () => {
    if (current === undefined) return false;
    useShown.setState({ wall: !wall });
    // The keyboard leaves a terminal it may have been in, and stays with the one it was about.
    requestAnimationFrame(() =>
      pane.current?.querySelector<HTMLElement>(`[data-card="${idOf(current)}"]`)?.focus(),
    );
  });

  const choose = (next: When) => {
    leaveMoment();
    setWhen(next);
  };
  const search = (open: boolean) => {
    useShown.setState({ searching: open, wall: false });
    if (!open) leaveMoment();
  };
  const computers = new Set(list.map((shown) => nameOf(shown).split(':')[0]));
  return (
    <section ref={pane} className="terminals" aria-label={text.title}>
      <header className="pane-head">
        <h2>{text.title}</h2>
        <Segmented<When | 'moment'>
          label={text.when}
          items={[
            { id: 'live', label: text.live },
            { id: 'step', label: text.atStep(cursor) },
          ]}
          chosen={moment === null ? when : 'moment'}
          onChoose={(next) => {
            if (next !== 'moment') choose(next);
          }}
        />
        <Button
          small
          look="ghost"
          aria-pressed={wall}
          disabled={current === undefined}
          keys={<CommandKeys command="look.terminalWall" />}
          onClick={() => useShown.setState({ wall: !wall })}
        >
          {text.wall}
        </Button>
        <span className="space" />
        <span className="text-12 quiet cut terminals-counts">{text.counts(computers.size, list.length)}</span>
        {run !== null && sessions.length > 0 && (
          <IconButton
            icon="search"
            small
            label={text.search}
            aria-pressed={searching}
            onClick={() => search(!searching)}
          />
        )}
        {initial === 'live' && <OpenMenu run={run} now={now} />}
      </header>
      {current === undefined ? (
        (loaded || run === null) && (
          <Empty
            icon="terminal"
            title={over ? text.noneTitle : text.emptyTitle}
            text={over ? text.noneText : text.emptyText}
          />
        )
      ) : wall ? (
        <ul className="terminal-grid" aria-label={text.sessions}>
          {list.map((shown) => (
            <SessionCard key={idOf(shown)} shown={shown} chosen={shown === current} size="wall" now={now} />
          ))}
        </ul>
      ) : (
        <div className={`terminals-body ${searching ? 'terminals-body-searching' : ''}`}>
          {searching && run !== null ? (
            <SessionSearch key={run} run={run} onClose={() => search(false)} />
          ) : (
            <ul className="terminal-list" aria-label={text.sessions}>
              {list.map((shown) => (
                <SessionCard
                  key={idOf(shown)}
                  shown={shown}
                  chosen={shown === current}
                  size="card"
                  now={now}
                />
              ))}
            </ul>
          )}
          {current.kind === 'own' ? (
            <OwnPlace key={idOf(current)} shown={current} now={now} />
          ) : (
            <Zoom
              key={idOf(current)}
              shown={current}
              until={untilOf(current, moment)}
              moment={moment !== null && idOf(current) === moment.uid}
            />
          )}
        </div>
      )}
    </section>
  );
}

/** Up to where a session is shown: null = live. */
function untilOf(
  shown: Extract<Shown, { kind: 'agent' }>,
  moment: { uid: string; until: number } | null,
): number | null {
  if (moment?.uid === shown.session.uid) return moment.until;
  return shown.past === undefined ? null : shown.session.endOffset;
}
