import type { ComputerRow, LinkHealth } from '@shared/contract/computers';
import { type RefObject, useEffect, useRef } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { HealthMark } from '../../components/HealthMark';
import { useAsked } from '../../state/answers';
import { cancelTest, removeComputer, setTransport, testComputer, useComputers } from '../../state/computers';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { HostFactsView } from './HostFactsView';
import { LinkFacts } from './LinkFacts';
import { ResolutionView } from './ResolutionView';
import { StageList } from './StageList';
import { TestOutcome } from './TestOutcome';
import { TransportChoice } from './TransportChoice';

export interface HostPageProps {
  row: ComputerRow;
  health: LinkHealth;
  now: number;
}

/** Everything about one added host: its link, what it is and lacks, how it is reached, and its last test. */
export function HostPage({ row, health, now }: HostPageProps) {
  const words = useText();
  const text = words.computers;
  const { format } = words.common;
  const test = useComputers((state) => state.tests[row.alias]);
  const resolution = useAsked('computers.resolve', { alias: row.alias });
  const page = useRef<HTMLElement>(null);
  useFocusWhenLost(page);
  const running = test?.running === true;
  const report = test?.report ?? row.report;
  const stages = running || test?.failure != null ? (test?.stages ?? []) : (report?.stages ?? []);
  const retry = health.state === 'down' || health.state === 'blocked' || health.state === 'stalled';
  const remove = () =>
    attempt(async () => {
      await removeComputer(row.alias);
      toast((now) => now.computers.removed(row.alias));
    });
  return (
    <article ref={page} aria-label={row.alias} className="host-page" tabIndex={-1}>
      <header className="host-head">
        <h3 className="text-15 cut">{row.alias}</h3>
        <HealthMark health={health} now={now} />
        <span className="space" />
        {retry && (
          <Button
            icon="repeat"
            onClick={() => attempt(() => call('computers.retryNow', { alias: row.alias }))}
          >
            {text.tryNow}
          </Button>
        )}
        {running ? (
          <Button onClick={() => cancelTest(row.alias)}>{text.cancelTest}</Button>
        ) : (
          <Button data-autofocus onClick={() => attempt(() => testComputer(row.alias, row.transport))}>
            {text.test}
          </Button>
        )}
        <Button look="ghost" onClick={remove}>
          {text.remove}
        </Button>
      </header>
      <LinkFacts health={health} now={now} />
      {(running || stages.length > 0 || test?.failure != null) && (
        <section aria-label={text.stages} className="host-section">
          <h4>
            {running ? text.stages : text.lastTest}
            {!running && report !== null && test?.failure == null && (
              <span className="quiet">
                {text.testedAt(
                  format.when(report.at, now),
                  report.transport === 'ssh2' ? text.ssh2 : text.openssh,
                )}
              </span>
            )}
          </h4>
          <StageList alias={row.alias} stages={stages} running={running} />
          <TestOutcome test={test} report={report} />
        </section>
      )}
      <HostFactsView report={report} />
      <section aria-label={text.transport} className="host-section">
        <h4>{text.transport}</h4>
        <TransportChoice
          chosen={row.transport}
          needsOpenSsh={resolution.value?.needsOpenSsh ?? []}
          onChoose={(transport) =>
            attempt(async () => {
              await setTransport(row.alias, transport);
              toast((now) => now.computers.transportSaved(row.alias));
            })
          }
        />
      </section>
      <section aria-label={text.resolution} className="host-section">
        <h4>{text.resolution}</h4>
        <ResolutionView state={resolution} />
      </section>
    </article>
  );
}

/** Takes the focus when the page comes up and what had it is gone: a dialog without focus hears no keys. */
export function useFocusWhenLost(target: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body)
      target.current?.focus({ preventScroll: true });
  }, [target]);
}
