import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { HealthMark } from '../../components/HealthMark';
import { useNow } from '../../components/useNow';
import { addComputerPage, closeComputers, openComputers, useComputers } from '../../state/computers';
import { useText } from '../../text/language';
import { AddComputer } from './AddComputer';
import { HostPage } from './HostPage';
import './computers.css';

/** Hosts reached over SSH: the list with its health, a page each, and the way to add one. */
export function ComputersDialog() {
  const words = useText();
  const text = words.computers;
  const place = useComputers((state) => state.place);
  const rows = useComputers((state) => state.rows);
  const health = useComputers((state) => state.health);
  const now = useNow(1000);
  const row = place?.page === 'host' ? rows.find(({ alias }) => alias === place.alias) : undefined;
  return (
    <Dialog title={text.title} closeLabel={words.common.close} onClose={closeComputers} width="wide">
      <div className={rows.length === 0 ? 'computers computers-alone' : 'computers'}>
        {rows.length > 0 && (
          <nav className="computers-list" aria-label={text.list}>
            <ul>
              {rows.map(({ alias }) => (
                <li key={alias}>
                  <button
                    type="button"
                    className="computers-row"
                    aria-current={row?.alias === alias ? 'true' : undefined}
                    data-computer={alias}
                    onClick={() => openComputers(alias)}
                  >
                    <span className="cut medium">{alias}</span>
                    <HealthMark health={health[alias]} now={now} />
                  </button>
                </li>
              ))}
            </ul>
            <Button
              icon="plus"
              look="ghost"
              aria-current={row === undefined ? 'true' : undefined}
              onClick={addComputerPage}
            >
              {text.add}
            </Button>
          </nav>
        )}
        <div className="computers-page">
          {row === undefined ? (
            <AddComputer key={place?.alias ?? ''} alias={place?.alias ?? ''} />
          ) : (
            <HostPage key={row.alias} row={row} health={health[row.alias] ?? row.health} now={now} />
          )}
        </div>
      </div>
    </Dialog>
  );
}
