import { AnchoredPanel } from '../../components/AnchoredPanel';
import { IconButton } from '../../components/Button';
import { Tabs } from '../../components/Tabs';
import { pressedChords } from '../../state/keys/commands';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { closeInbox, type InboxTab, loadReport, useInbox } from './attention';
import { InboxNews } from './InboxNews';
import { NightReport } from './NightReport';

/** The list over the page: arrows or j and k move, Enter goes there, Escape gives the focus back. */
export function InboxPanel({ anchor }: { anchor: HTMLElement | null }) {
  const text = useText().inbox;
  const tab = useInbox((state) => state.tab);

  function onKey(event: React.KeyboardEvent, box: HTMLDivElement | null): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const items = [...(box?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
    const active = document.activeElement;
    const at = active instanceof HTMLElement ? items.indexOf(active) : -1;
    const to = target(pressedChords(event.nativeEvent), at, items.length);
    if (to !== null) items[to]?.focus();
    return to !== null;
  }

  return (
    <AnchoredPanel
      anchor={anchor}
      most={640}
      onClose={closeInbox}
      first="[data-item]"
      label={text.region}
      name="inbox"
      onKey={onKey}
    >
      {(leave) => (
        <>
          <div className="inbox-head">
            <Tabs<InboxTab>
              label={text.tabs}
              items={[
                { id: 'news', label: text.news },
                { id: 'report', label: text.report },
              ]}
              chosen={tab}
              onChoose={(chosen) => {
                useInbox.setState({ tab: chosen });
                if (chosen === 'report') attempt(() => loadReport(useInbox.getState().range));
              }}
              idBase="inbox"
            />
            <span className="space" />
            <IconButton icon="close" label={text.close} onClick={leave} />
          </div>
          <div id="inbox-panel" role="tabpanel" aria-labelledby={`inbox-${tab}`} className="inbox-body">
            {tab === 'news' ? <InboxNews /> : <NightReport />}
          </div>
        </>
      )}
    </AnchoredPanel>
  );
}

/** Place of the item a key leads to; null when the key is none of the list's. */
function target(chords: readonly string[], at: number, count: number): number | null {
  if (count === 0) return null;
  const pressed = (...wanted: string[]) => wanted.some((chord) => chords.includes(chord));
  if (pressed('ArrowDown', 'j')) return Math.min(count - 1, at + 1);
  if (pressed('ArrowUp', 'k')) return Math.max(0, at - 1);
  if (pressed('Home')) return 0;
  return pressed('End') ? count - 1 : null;
}
