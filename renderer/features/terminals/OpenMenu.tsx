import { Button } from '../../components/Button';
import type { MenuItem } from '../../components/Menu';
import { Menu } from '../../components/Menu';
import { addComputerPage, useComputers } from '../../state/computers';
import { healthWords } from '../../text/health-words';
import { useText } from '../../text/language';
import { openOwnTerminal, useOwnTerminals } from './own-terminals';

/** Opens a terminal of the person's own on a computer that is chosen. */
export function OpenMenu({ run, now }: { run: string | null; now: number }) {
  const text = useText();
  const words = text.terminals;
  const rows = useComputers((state) => state.rows);
  const health = useComputers((state) => state.health);
  const opening = useOwnTerminals((state) => state.opening);
  const items: MenuItem[] = [
    { id: 'local', label: words.openLocal, icon: 'terminal', run: () => openOwnTerminal('local', run) },
    ...rows.map(({ alias }): MenuItem => {
      const { word, icon } = healthWords(health[alias], text, now);
      return {
        id: alias,
        label: words.openOn(alias),
        text: word,
        icon,
        run: () => openOwnTerminal(alias, run),
      };
    }),
    { id: 'add', label: words.addComputer, icon: 'plus', line: true, run: addComputerPage },
  ];
  const [where] = opening;
  return (
    <>
      {where !== undefined && (
        <span className="text-12 quiet cut" aria-live="polite">
          {words.opening(where === 'local' ? words.openLocal : where)}
        </span>
      )}
      <Menu
        label={words.open}
        items={items}
        button={(props) => (
          <Button small look="ghost" icon="plus" title={words.openText} {...props}>
            {words.open}
          </Button>
        )}
      />
    </>
  );
}
