import { Button } from '../../components/Button';
import { useRuns } from '../../state/run/runs';
import type { Mode } from '../../state/view';
import { openDialog, setMode, useView } from '../../state/view';
import { useText } from '../../text/language';
import { InboxButton } from '../inbox/InboxButton';
import { JobsButton } from '../jobs/JobsButton';
import { RemoteMark } from '../remote/RemoteMark';
import { SearchBox } from '../search/SearchBox';

const modes: readonly Mode[] = ['watch', 'review', 'export'];

export function TitleBar() {
  const text = useText();
  const mode = useView((state) => state.mode);
  const hasRuns = useRuns((state) => state.list.length > 0);
  return (
    <header className="titlebar">
      <div className="titlebar-left">
        <svg className="titlebar-mark" viewBox="0 0 16 16" aria-hidden="true">
          <rect x="3" y="8" width="4" height="5" fill="var(--fg)" />
          <rect x="9" y="3" width="4" height="5" fill="var(--label-train)" />
        </svg>
        <nav className="segmented" aria-label={text.frame.modes}>
          {modes.map((one) => (
            <button
              key={one}
              type="button"
              disabled={!hasRuns}
              aria-current={hasRuns && one === mode ? 'page' : undefined}
              onClick={() => setMode(one)}
            >
              {text.frame[one]}
            </button>
          ))}
        </nav>
      </div>
      <SearchBox />
      <div className="titlebar-right">
        <JobsButton />
        {hasRuns && <InboxButton />}
        <RemoteMark />
        <Button look="ghost" small icon="settings" onClick={() => openDialog('settings')}>
          {text.frame.settings}
        </Button>
        <Button look="ghost" small onClick={() => openDialog('about')}>
          {text.frame.about}
        </Button>
      </div>
    </header>
  );
}
