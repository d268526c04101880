import { useState } from 'react';
import { Banner } from '../../components/Banner';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useNow } from '../../components/useNow';
import { clearUnsent, takesKeys, useOwnTerminals } from '../../state/own-terminals';
import type { Shown } from '../../state/sessions-shown';
import { leaveMoment, nameOf } from '../../state/sessions-shown';
import { useText } from '../../text/language';
import { FindBar } from './FindBar';
import { LinkRow } from './LinkRow';
import { OwnTerminalView } from './OwnTerminalView';
import { useShownHost } from './shown-host';
import { TerminalView } from './TerminalView';
import { terminalKey } from './terminal-keys';
import type { TerminalSearch } from './xterm-screen';
import { ZoomHead } from './ZoomHead';

export interface ZoomProps {
  shown: Shown;
  /** Raw offset up to which an agent's session is shown; null = live. */
  until: number | null;
  /** It is shown as it was at a line that was found. */
  moment: boolean;
}

/** One terminal large: its head, what is wrong with its link, what was not sent, and the terminal itself. */
export function Zoom({ shown, until, moment }: ZoomProps) {
  const words = useText().terminals;
  const now = useNow(1000);
  const [search, setSearch] = useState<TerminalSearch | null>(null);
  const [finding, setFinding] = useState(false);
  return (
    <section
      className="terminal-zoom"
      aria-label={nameOf(shown)}
      onKeyDown={(event) => {
        const typedInto =
          event.target instanceof Element && event.target.closest('.terminal-view-own') !== null;
        if (terminalKey(event, { typedInto }) !== 'find') return;
        event.preventDefault();
        event.stopPropagation();
        setFinding(true);
      }}
    >
      <ZoomHead shown={shown} now={now} onFind={() => setFinding(!finding)} />
      <LinkRow shown={shown} now={now} />
      {moment && (
        <div className="terminal-row">
          <Banner
            tone="plain"
            icon="clock"
            title={words.momentText}
            actions={
              <Button small onClick={leaveMoment}>
                {words.momentLeave}
              </Button>
            }
          />
        </div>
      )}
      {shown.kind === 'own' && <UnsentRow shown={shown} />}
      <div className="terminal-body">
        {finding && search !== null && <FindBar search={search} onClose={() => setFinding(false)} />}
        {shown.kind === 'own' ? (
          <Own key={shown.terminal.id} shown={shown} onSearch={setSearch} />
        ) : !moment && shown.past?.here === false ? (
          <Empty icon="terminal" title={words.notYetTitle} text={words.notYetText} />
        ) : !moment && shown.past?.here === null ? null : (
          <TerminalView
            key={`${shown.session.uid}/${until ?? 'live'}`}
            session={shown.session}
            until={until}
            onSearch={setSearch}
          />
        )}
      </div>
    </section>
  );
}

type OwnShown = Extract<Shown, { kind: 'own' }>;

function Own({ shown, onSearch }: { shown: OwnShown; onSearch: (search: TerminalSearch | null) => void }) {
  const words = useText().terminals;
  const { alias, health } = useShownHost(shown);
  const { terminal } = shown;
  const up = alias === null || takesKeys(health?.state ?? terminal.link);
  if (terminal.state === 'unknown' && terminal.endOffset === 0)
    return <Empty icon="terminal" title={words.awayTitle} text={words.awayText} />;
  return <OwnTerminalView terminal={terminal} up={up} onSearch={onSearch} />;
}

/** What was typed and not sent: never dropped in silence, never sent later. */
function UnsentRow({ shown }: { shown: OwnShown }) {
  const text = useText();
  const words = text.terminals;
  const { id, computer } = shown.terminal;
  const unsent = useOwnTerminals((state) => state.unsent[id]);
  if (unsent === undefined) return null;
  const why =
    unsent.why.kind === 'link'
      ? words.unsentLink(computer)
      : unsent.why.kind === 'full'
        ? words.unsentFull
        : unsent.why.message;
  return (
    <div className="terminal-row" data-testid="unsent">
      <Banner
        tone="attention"
        icon="warning"
        title={words.unsent(words.unsentBytes(unsent.bytes))}
        actions={
          <IconButton icon="close" small label={text.common.dismiss} onClick={() => clearUnsent(id)} />
        }
      >
        {why}
      </Banner>
    </div>
  );
}
