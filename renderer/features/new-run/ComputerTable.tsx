import { Button } from '../../components/Button';
import { ColumnHeads } from '../../components/ColumnHeads';
import { Select } from '../../components/Field';
import { HealthMark } from '../../components/HealthMark';
import { openComputers, useComputers } from '../../state/computers';
import { useText } from '../../text/language';
import { type Choices, hostFor, type TaskComputer } from './places';

export interface ComputerTableProps {
  computers: readonly TaskComputer[];
  choices: Choices;
  onHost: (name: string, host: string) => void;
  /** Our clock, ms since 1970. */
  now: number;
}

/** The task's pool: what each computer must be, and where it is in this run. */
export function ComputerTable({ computers, choices, onHost, now }: ComputerTableProps) {
  const words = useText();
  const text = words.newRun;
  return (
    <table className="pool">
      <ColumnHeads heads={[words.computers.fact.hostname, text.kind, text.gpus, text.internet, text.where]} />
      <tbody>
        {computers.map((computer) => (
          <ComputerLine
            key={computer.name}
            computer={computer}
            host={hostFor(computer, choices)}
            onHost={(host) => onHost(computer.name, host)}
            now={now}
          />
        ))}
      </tbody>
    </table>
  );
}

interface ComputerLineProps {
  computer: TaskComputer;
  host: string;
  onHost: (host: string) => void;
  now: number;
}

function ComputerLine({ computer, host, onHost, now }: ComputerLineProps) {
  const words = useText();
  const text = words.newRun;
  const rows = useComputers((state) => state.rows);
  const loaded = useComputers((state) => state.loaded);
  const health = useComputers((state) => state.health);
  const added = rows.map(({ alias }) => alias);
  const strange = [computer.host, host].filter((each) => each !== 'local' && !added.includes(each));
  const options = [
    { value: 'local', label: text.here },
    ...added.map((alias) => ({ value: alias, label: alias })),
    ...[...new Set(strange)].map((alias) => ({ value: alias, label: alias })),
  ];
  const marks = [
    ...(computer.evaluator ? [text.evaluatorMark] : []),
    ...(computer.dedicated ? [text.dedicatedMark] : []),
  ];
  return (
    <tr data-computer={computer.name}>
      <th scope="row">
        <span className="mono-12">{computer.name}</span>
        {computer.eachSession.length > 0 && (
          <div className="text-11 quiet pool-begins">{text.beginsWith(computer.eachSession.join('; '))}</div>
        )}
        {marks.length > 0 && (
          <div className="pool-marks">
            {marks.map((mark) => (
              <span key={mark} className="chip">
                {mark}
              </span>
            ))}
          </div>
        )}
      </th>
      <td>{computer.kind}</td>
      <td className="tabular">{computer.gpus === 0 ? text.noGpu : computer.gpus}</td>
      <td>{computer.internet ? text.yes : text.no}</td>
      <td>
        <Select
          small
          aria-label={text.whereIs(computer.name)}
          value={host}
          options={options}
          onChoose={onHost}
        />
        {host !== 'local' && (
          <div className="pool-state">
            {loaded && !added.includes(host) ? (
              <>
                <span className="quiet" title={text.fromSshConfiguration}>
                  {text.notAdded}
                </span>
                <Button small look="ghost" onClick={() => openComputers(host)}>
                  {text.addIt}
                </Button>
              </>
            ) : (
              <HealthMark health={health[host]} now={now} />
            )}
          </div>
        )}
      </td>
    </tr>
  );
}
