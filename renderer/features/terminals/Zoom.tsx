import { useState } from 'react';
import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useNow } from '../../components/useNow';
import { useText } from '../../text/language';
import { FindBar } from './FindBar';
import { LinkRow } from './LinkRow';
import type { Shown } from './sessions-shown';
import { leaveMoment, nameOf } from './sessions-shown';
import { TerminalView } from './TerminalView';
import { terminalKey } from './terminal-keys';
import type { TerminalSearch } from './xterm-screen';
import { ZoomHead } from './ZoomHead';

export interface ZoomProps {
  shown: Extract<Shown, { kind: 'agent' }>;
  /** Raw offset up to which an agent's session is shown; null = live. */
  until: number | null;
  /** It is shown as it was at a line that was found. */
  moment: boolean;
}

/** One session of the agent large: its head, what is wrong with its link, and the terminal itself. */
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
        if (terminalKey(event, { typedInto: false }) !== 'find') return;
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
      <div className="terminal-body">
        {finding && search !== null && <FindBar search={search} onClose={() => setFinding(false)} />}
        {!moment && shown.past?.here === false ? (
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
