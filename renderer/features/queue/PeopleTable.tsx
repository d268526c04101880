import { peopleCsv } from '@shared/labels/review/people-csv';
import type { PersonRow } from '@shared/labels/review/queue-views';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useAsked } from '../../state/answers';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';

/** Per person and run: assigned, decided, left, agreed, minutes, flags. */
export function PeopleTable() {
  const text = useText();
  const words = text.queue;
  const { format } = text.common;
  const { value: report, failure } = useAsked('queue.people', { runs: [] });
  if (failure !== null) return <p role="alert">{failure.message}</p>;
  if (report === null) return null;
  if (report.rows.length === 0)
    return <Empty icon="done" title={words.noPeopleTitle} text={words.noPeopleText} />;
  const share = (value: number | null) =>
    value === null ? text.common.unknown : `${Math.round(value * 100)} %`;
  const kappa = (value: number | null) => value?.toFixed(2) ?? text.common.unknown;
  const cells = (row: PersonRow) => [
    row.assigned === null ? '–' : format.count(row.assigned),
    format.count(row.decided),
    row.assigned === null ? '–' : format.count(row.left),
    row.agreement.n === 0
      ? text.common.unknown
      : words.ofTotal(share(row.agreement.raw), format.count(row.agreement.n)),
    kappa(row.agreement.kappa),
    kappa(row.machines.kappa),
    format.count(Math.round(row.workMs / 60_000)),
    format.count(row.flags),
    format.count(row.disagreements),
    row.times === null
      ? '–'
      : `${format.duration(row.times.medianMs)}${row.times.streaks.length > 0 ? `, ${words.stamped(row.times.streaks.length)}` : ''}`,
  ];
  const heads = [
    ...[words.personColumn, words.runColumn, words.assignedColumn, words.decidedColumn, words.leftColumn],
    ...[words.agreeColumn, words.kappaColumn, words.machineColumn, words.minutesColumn, words.flagsColumn],
    ...[words.differColumn, words.timesColumn],
  ];
  return (
    <>
      <table className="queue-table" data-testid="people">
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={head} scope="col" className={index === 1 ? 'queue-title' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {report.rows.map((row) => (
            <tr key={`${row.run} ${row.person.uuid}`}>
              <th scope="row">{row.person.name}</th>
              <td className="queue-title">{row.title}</td>
              {cells(row).map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {report.runs
        .filter(({ fleiss, meanKappa }) => fleiss !== null || meanKappa !== null)
        .map((run) => (
          <p key={run.run} className="text-12 quiet">
            {words.runFigures(run.title, kappa(run.fleiss), kappa(run.meanKappa))}
          </p>
        ))}
      <p className="text-12 quiet">{words.kappaHelp}</p>
      <div className="queue-actions">
        <Button
          onClick={() =>
            attempt(async () => {
              await navigator.clipboard.writeText(peopleCsv(report.rows));
              toast((words) => words.queue.copied);
            })
          }
        >
          {words.copyCsv}
        </Button>
      </div>
    </>
  );
}
