import type { RunSummary } from '@shared/contract/views';
import { HealthMark } from '../../components/HealthMark';
import { Icon } from '../../components/Icon';
import { openComputers, useComputers } from '../../state/computers';
import { hostsOf, type RunHost } from '../../state/computers-of-run';
import { isImported } from '../../state/run/runs';
import { healthWords } from '../../text/health-words';
import { useText } from '../../text/language';
import './strip.css';

/** As many as the strip has lines for. */
const shownHosts = 2;

export interface StripHostsProps {
  run: RunSummary;
  /** Our clock, ms since 1970. */
  now: number;
}

/** The run's computers and how their links are, those in trouble first; a click opens the page of one. */
export function StripHosts({ run, now }: StripHostsProps) {
  const text = useText();
  const health = useComputers((state) => state.health);
  const hosts = hostsOf(run, health);
  // One line of the two is needed to say that there are more.
  const shown = hosts.length > shownHosts ? hosts.slice(0, shownHosts - 1) : hosts;
  const hidden = hosts.length - shown.length;
  const next = hosts[shown.length];
  const { notIsolated, notIsolatedText, evaluatorNotIsolated, evaluatorNotIsolatedText } = text.runs;
  // There is room for one word: the first says more than the second.
  const marks = isImported(run)
    ? []
    : [
        ...(run.protectedChanged === undefined
          ? []
          : [
              {
                word: text.runs.protectedChanged,
                detail: text.runs.protectedChangedText(run.protectedChanged),
              },
            ]),
        ...(run.computers.some(isOpen) ? [{ word: notIsolated, detail: notIsolatedText }] : []),
        ...(run.evaluatorIsolated ? [] : [{ word: evaluatorNotIsolated, detail: evaluatorNotIsolatedText }]),
      ];
  return (
    <div className="strip-cell strip-ruled strip-hosts" data-testid="run-computers">
      <ul>
        {shown.map((host) => (
          <li key={host.name}>
            <HostChip host={host} now={now} />
          </li>
        ))}
        {hidden > 0 && next !== undefined && (
          <li>
            <button
              type="button"
              className="host-chip quiet"
              title={hosts
                .slice(shown.length)
                .map((host) => `${host.name}: ${wordOf(host, text, now)}`)
                .join('\n')}
              onClick={() => openComputers(next.alias ?? undefined)}
            >
              {text.computers.more(hidden)}
            </button>
          </li>
        )}
      </ul>
      {marks[0] !== undefined && (
        <span className="text-11 quiet strip-evaluator" title={marks.map(({ detail }) => detail).join('\n')}>
          {marks[0].word}
        </span>
      )}
    </div>
  );
}

/** Nothing keeps the agent's programs on it apart from the rest of the driver's machine. */
function isOpen({ kind, isolation }: RunSummary['computers'][number]): boolean {
  return kind === 'local' && isolation === undefined;
}

function HostChip({ host, now }: { host: RunHost; now: number }) {
  const text = useText();
  const { alias, name, health } = host;
  if (alias === null) {
    return (
      <span className="host-chip">
        <Icon name="check" small className="quiet" />
        <span className="cut">{name === 'local' ? text.runs.localComputer : name}</span>
      </span>
    );
  }
  const word = wordOf(host, text, now);
  const label = alias === name ? name : `${name} (${alias})`;
  return (
    <button
      type="button"
      className="host-chip"
      data-computer={alias}
      aria-label={text.computers.strip(label, word)}
      title={health === undefined || health.message === '' ? label : `${label}: ${health.message}`}
      onClick={() => openComputers(alias)}
    >
      <span className="cut medium">{name}</span>
      <HealthMark health={health} now={now} />
    </button>
  );
}

function wordOf(host: RunHost, text: ReturnType<typeof useText>, now: number): string {
  return host.alias === null ? text.runs.localComputer : healthWords(host.health, text, now).word;
}
