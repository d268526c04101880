import type { ReportedRun } from '@shared/runs/attention/attention';
import { Empty } from '../../components/Empty';
import { Segmented } from '../../components/Tabs';
import { useNow } from '../../components/useNow';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { goTo, loadReport, type ReportRange, useInbox } from './attention';
import { ItemRow } from './ItemRow';

/** Items of one run that the report shows. */
const SHOWN = 5;

/** What each run did while nobody looked: numbers first, then what happened. */
export function NightReport() {
  const text = useText();
  const { inbox } = text;
  const { format } = text.common;
  const range = useInbox((state) => state.range);
  const report = useInbox((state) => state.report);
  const now = useNow(60_000);
  return (
    <>
      <div className="report-range">
        <Segmented<ReportRange>
          label={inbox.ranges}
          items={[
            { id: 'looked', label: inbox.sinceLooked },
            { id: 'night', label: inbox.lastNight },
            { id: 'day', label: inbox.lastDay },
          ]}
          chosen={range}
          onChoose={(chosen) => attempt(() => loadReport(chosen))}
        />
        {report !== null && (
          <span className="quiet text-12">
            {inbox.span(moment(report.from, now, format), moment(report.to, now, format))}
          </span>
        )}
      </div>
      {report?.runs.length === 0 && <Empty icon="moon" title={inbox.noReport} text={inbox.noReportText} />}
      {report?.runs.map((run) => (
        <RunReport key={run.run} run={run} now={now} />
      ))}
    </>
  );
}

/** Day and clock of a time that is not today's. */
function moment(
  at: number,
  now: number,
  format: { when: (at: number, now: number) => string; clock: (at: number) => string },
) {
  const when = format.when(at, now);
  const clock = format.clock(at);
  return when === clock ? clock : `${when}, ${clock}`;
}

function RunReport({ run, now }: { run: ReportedRun; now: number }) {
  const text = useText();
  const { inbox } = text;
  const { format } = text.common;
  const { before, after, best } = run.scores;
  const numbers: [string, string][] = [
    [format.count(run.steps), inbox.stepsWord(run.steps)],
    [
      format.duration(run.workingMs < 60_000 ? run.workingMs : run.workingMs - (run.workingMs % 60_000)),
      inbox.workingTime,
    ],
    [format.compact(run.tokens), inbox.tokens],
    ...(run.cost > 0 ? [[format.money(run.cost), inbox.cost] as [string, string]] : []),
    ...(run.hintsDelivered > 0
      ? [[format.count(run.hintsDelivered), inbox.hintsWord(run.hintsDelivered)] as [string, string]]
      : []),
    ...(run.stoodStillMs > 0
      ? [[format.duration(run.stoodStillMs), inbox.stoodStillWord] as [string, string]]
      : []),
  ];
  return (
    <section className="inbox-run" aria-label={run.title} data-testid="report-run">
      <button
        type="button"
        className="inbox-run-head"
        data-item=""
        onClick={() => attempt(() => goTo(run.run, null))}
      >
        <b className="cut">{run.title}</b>
        <span className="space" />
        <span className="tabular">
          {after === null
            ? null
            : `${inbox.score} ${before === null || before === after ? '' : `${format.score(before)} → `}${format.score(after)}`}
        </span>
        {best !== null && best !== after && <span className="tabular">{inbox.best(format.score(best))}</span>}
      </button>
      <dl className="report-numbers tabular">
        {numbers.map(([value, name]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {run.items.slice(0, SHOWN).map((item) => (
        <ItemRow key={item.id} item={item} now={now} />
      ))}
      {run.items.length > SHOWN && <p className="inbox-note">{inbox.more(run.items.length - SHOWN)}</p>}
    </section>
  );
}
