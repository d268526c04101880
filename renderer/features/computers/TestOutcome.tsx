import type { HostReport } from '@shared/contract/computers';
import { Icon } from '../../components/Icon';
import type { HostTest } from '../../state/computers';
import { failureDetails } from '../../state/toasts';
import { useText } from '../../text/language';
import { CopyDetails } from '../panes/CopyDetails';

export interface TestOutcomeProps {
  test: HostTest | undefined;
  /** The report to speak of when no test runs. */
  report: HostReport | null;
}

/** One sentence under the stages: passed, passed with remarks, or stopped, with details to copy. */
export function TestOutcome({ test, report }: TestOutcomeProps) {
  const words = useText();
  const text = words.computers;
  if (test?.running === true) return null;
  const failure = test?.failure ?? null;
  if (failure === null && report === null) return null;
  const ok = failure === null && report?.ok === true;
  const remarks = report?.stages.some(({ state }) => state === 'warning') === true;
  const details = failure !== null ? failureDetails(failure) : reportText(report);
  return (
    <p className="stages-outcome" role="status" data-outcome={ok ? 'ok' : 'failed'}>
      <span className={ok ? '' : 'tone-danger'}>
        <Icon name={ok ? 'done' : 'warning'} />
      </span>
      <span>
        {failure !== null
          ? failure.message
          : ok
            ? remarks
              ? text.passedWithRemarks
              : text.passed
            : text.failed}
      </span>
      {!ok && <CopyDetails details={details} />}
    </p>
  );
}

/** The stages as plain text, for a message to an administrator. */
function reportText(report: HostReport | null): string {
  if (report === null) return '';
  const lines = report.stages.map(
    ({ stage, via, state, message, ms }) =>
      `${via === null ? '' : `${via} `}${stage}: ${state}${ms === null ? '' : ` (${Math.round(ms)} ms)`} ${message}`,
  );
  return [`${report.alias} (${report.transport}), ${new Date(report.at).toISOString()}`, ...lines].join('\n');
}
