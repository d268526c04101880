import { useEffect, useState } from 'react';
import { Banner } from '../components/Banner';
import { IconButton } from '../components/Button';
import { Icon } from '../components/Icon';
import { FindBar } from '../features/terminals/FindBar';
import { terminalKey } from '../features/terminals/terminal-keys';
import type { TerminalSearch } from '../features/terminals/xterm-screen';
import { useSettings } from '../state/settings';
import { dismissToast, useToasts } from '../state/toasts';
import { languageFor, TextContext, textFor, useText } from '../text/language';
import { CloseSheet } from './CloseSheet';
import { OwnHead } from './OwnHead';
import { OwnTerminalView } from './OwnTerminalView';
import { PasteSheet } from './PasteSheet';
import { clearUnsent, takesKeys, useOwnView } from './view-state';
import '../features/terminals/terminals.css';
import './own-terminal.css';

/** The page of the view: one terminal of the person's own, with its name, what was not sent, and what it asks. */
export function OwnTerminals() {
  const settings = useSettings((state) => state.settings);
  const shown = useOwnView((state) => state.shown);
  const language = languageFor(settings?.language ?? 'system', navigator.language);
  const { terminal } = shown;
  const name = terminal === null ? '' : `${terminal.computer}:${terminal.name}`;
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
    document.title = name;
  }, [language, name]);
  return (
    <TextContext.Provider value={textFor(language)}>
      {terminal !== null && <Terminal key={terminal.id} name={name} />}
      <Notices />
    </TextContext.Provider>
  );
}

function Terminal({ name }: { name: string }) {
  const shown = useOwnView((state) => state.shown);
  const [search, setSearch] = useState<TerminalSearch | null>(null);
  const [finding, setFinding] = useState(false);
  const { terminal } = shown;
  if (terminal === null) return null;
  return (
    <main
      className="terminal-zoom own-terminal"
      aria-label={name}
      onKeyDown={(event) => {
        const typedInto =
          event.target instanceof Element && event.target.closest('.terminal-view-own') !== null;
        if (terminalKey(event, { typedInto }) !== 'find') return;
        event.preventDefault();
        event.stopPropagation();
        setFinding(true);
      }}
    >
      <OwnHead terminal={terminal} name={name} onFind={() => setFinding(!finding)} />
      <UnsentRow id={terminal.id} computer={terminal.computer} />
      <div className="terminal-body">
        {finding && search !== null && <FindBar search={search} onClose={() => setFinding(false)} />}
        <OwnTerminalView terminal={terminal} up={takesKeys(shown)} onSearch={setSearch} />
      </div>
      <PasteSheet />
      <CloseSheet />
    </main>
  );
}

/** What was typed and not sent: never dropped in silence, never sent later. */
function UnsentRow({ id, computer }: { id: string; computer: string }) {
  const text = useText();
  const words = text.terminals;
  const unsent = useOwnView((state) => state.unsent[id]);
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

/** What was copied with hidden characters, and what failed. */
function Notices() {
  const text = useText();
  const toasts = useToasts((state) => state.toasts);
  return (
    <div className="toasts" role="status">
      {toasts.map(({ id, tone, say }) => (
        <div key={id} className={`toast toast-${tone}`}>
          {tone === 'danger' && <Icon name="warning" />}
          <span className="toast-text">{say(text)}</span>
          <IconButton icon="close" small label={text.common.dismiss} onClick={() => dismissToast(id)} />
        </div>
      ))}
    </div>
  );
}
