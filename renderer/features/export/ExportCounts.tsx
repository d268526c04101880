import type { ExportPreview } from '@shared/contract/ipc/dataset';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';

export interface ExportCountsProps {
  preview: ExportPreview;
  undecidedSteps: number;
  /** Undecided steps count as trained or masked; otherwise they stop the export and are neither. */
  waived: boolean;
}

/** Steps by what becomes of them and why; bars share one scale. */
export function ExportCounts({ preview, undecidedSteps, waived }: ExportCountsProps) {
  const words = useText();
  const text = words.exporting;
  const { count } = words.common.format;
  const runs = useRuns(({ list }) => list);
  const titleOf = (run: string) => runs.find(({ id }) => id === run)?.title ?? run.slice(-6);
  const sources = preview.bySource.filter((each) => waived || each.source !== 'waiver');
  const total = (value: 'train' | 'mask') =>
    sources.filter((each) => each.value === value).reduce((sum, each) => sum + each.count, 0);
  const groups = [
    { value: 'train' as const, name: text.trained, total: total('train') },
    { value: 'mask' as const, name: text.masked, total: total('mask') },
  ];
  const most = Math.max(1, total('train'), total('mask'), undecidedSteps);
  const bar = (n: number, kind: string) =>
    n === 0 ? null : (
      <span className={`export-bar export-bar-${kind}`} style={{ width: `${(n / most) * 100}%` }} />
    );
  return (
    <>
      <header className="export-totals">
        <p>
          <b className="text-20 tabular">{count(total('train'))}</b>{' '}
          <span className="quiet">{text.trainedSteps}</span>
        </p>
        <p>
          <b className="text-20 tabular">{count(total('mask'))}</b>{' '}
          <span className="quiet">{text.maskedSteps}</span>
        </p>
        <p>
          <b className="text-20 tabular">{count(preview.rows)}</b>{' '}
          <span className="quiet">{text.rows(preview.rows)}</span>
        </p>
      </header>
      <table className="export-table">
        <thead>
          <tr>
            <th scope="col">{text.byReason}</th>
            <th scope="col">{text.steps}</th>
            <th scope="col">{text.size}</th>
          </tr>
        </thead>
        <tbody>
          {groups.flatMap((group) => [
            <tr key={group.value} className="export-group">
              <th scope="row">{group.name}</th>
              <td className="tabular">{count(group.total)}</td>
              <td>{bar(group.total, group.value)}</td>
            </tr>,
            ...sources
              .filter((each) => each.value === group.value)
              .map((each) => (
                <tr key={`${group.value} ${each.source}`}>
                  <th scope="row" className="export-source">
                    {text.source(each.source)}
                  </th>
                  <td className="tabular">{count(each.count)}</td>
                  <td>{bar(each.count, group.value)}</td>
                </tr>
              )),
          ])}
          <tr className="export-group tone-undecided">
            <th scope="row">{text.undecidedRow}</th>
            <td className="tabular">{count(undecidedSteps)}</td>
            <td>{bar(undecidedSteps, 'undecided')}</td>
          </tr>
          {preview.dropped.map((each) => (
            <tr key={each.reason}>
              <th scope="row" className="quiet">
                {text.dropped(each.reason)}
              </th>
              <td className="tabular">{count(each.count)}</td>
              <td />
            </tr>
          ))}
          {preview.inherited.map((each) => (
            <tr key={each.run}>
              <th scope="row" className="quiet">
                {text.inherited(titleOf(each.run))}
              </th>
              <td className="tabular">{count(each.steps)}</td>
              <td />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
