import type { VariantCounts } from '@shared/contract/export-views';
import type { ExportPreview } from '@shared/contract/ipc/dataset';
import type { ReactNode } from 'react';
import { ColumnHeads } from '../../components/ColumnHeads';
import { LabelGlyph, type LabelState } from '../../components/LabelGlyph';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';

export interface ExportCountsProps {
  preview: ExportPreview;
  counts: VariantCounts;
  undecidedSteps: number;
  /** Undecided steps count as trained or masked; otherwise they stop the export and are neither. */
  waived: boolean;
  head: ReactNode;
}

interface Line {
  key: string;
  name: string;
  steps: number | null;
  tokens: number;
}

/** Steps and tokens by what becomes of them and why; bars share one scale. Below, what is not in the dataset and why. */
export function ExportCounts({ preview, counts, undecidedSteps, waived, head }: ExportCountsProps) {
  const words = useText();
  const text = words.exporting;
  const { count } = words.common.format;
  const { ruleName, reasonName } = words.labels;
  const reasons = counts.byReason.filter((each) => waived || each.source !== 'waiver');
  const linesOf = (value: 'train' | 'mask'): Line[] =>
    reasons
      .filter((each) => each.value === value)
      .sort((a, b) => b.tokens - a.tokens || b.steps - a.steps)
      .map(({ source, reason, steps, tokens }) => ({
        key: `${value} ${source} ${reason}`,
        steps,
        tokens,
        name: text.reason(source, reason, ruleName, reasonName),
      }));
  const trained = linesOf('train');
  const masked = linesOf('mask');
  const sum = (lines: readonly Line[], what: 'steps' | 'tokens') =>
    lines.reduce((total, line) => total + (line[what] ?? 0), 0);
  const context = Math.max(0, counts.tokens - counts.trainedTokens - counts.maskedTokens);
  const groups: { state: LabelState; name: string; steps: number | null; tokens: number; lines: Line[] }[] = [
    {
      state: 'train',
      name: text.trained,
      lines: trained,
      steps: sum(trained, 'steps'),
      tokens: sum(trained, 'tokens'),
    },
    {
      state: 'mask',
      name: text.masked,
      lines: masked,
      steps: sum(masked, 'steps'),
      tokens: sum(masked, 'tokens'),
    },
    { state: 'none', name: text.context, lines: [], steps: null, tokens: context },
  ];
  // Context is many times the rest: on its scale nothing else could be seen.
  const most = Math.max(1, ...groups.map(({ tokens, state }) => (state === 'none' ? 0 : tokens)));
  const bar = (tokens: number, state: LabelState) =>
    tokens === 0 ? null : (
      <span className={`export-bar export-bar-${state}`} style={{ width: `${(tokens / most) * 100}%` }} />
    );
  return (
    <>
      <header className="export-totals">
        <Total n={sum(trained, 'tokens')} name={text.trainedTotal} />
        <Total n={sum(masked, 'tokens')} name={text.maskedTotal} />
        <Total n={counts.rows} name={text.rows(counts.rows)} />
        {counts.records !== counts.rows && <Total n={counts.records} name={text.records(counts.records)} />}
        <span className="space" />
        {head}
      </header>
      <table className="export-table">
        <ColumnHeads heads={[text.byReason, text.steps, text.tokensEstimated, text.size]} />
        <tbody>
          {groups.flatMap((group) => [
            <tr key={group.state} className="export-group" data-state={group.state}>
              <th scope="row">
                <LabelGlyph state={group.state} />
                {group.name}
              </th>
              <td className="tabular">{group.steps === null ? '' : count(group.steps)}</td>
              <td className="tabular">{count(group.tokens)}</td>
              <td className="quiet">
                {group.state === 'none'
                  ? text.shareOfAll((group.tokens / Math.max(1, counts.tokens)) * 100)
                  : bar(group.tokens, group.state)}
              </td>
            </tr>,
            ...group.lines.map((line) => (
              <tr key={line.key}>
                <th scope="row" className="export-source">
                  {line.name}
                </th>
                <td className="tabular">{line.steps === null ? '' : count(line.steps)}</td>
                <td className="tabular soft">{count(line.tokens)}</td>
                <td>{bar(line.tokens, group.state)}</td>
              </tr>
            )),
          ])}
          {!waived && undecidedSteps > 0 && (
            <tr className="export-group tone-undecided" data-state="undecided">
              <th scope="row">
                <LabelGlyph state="undecided" />
                {text.undecidedRow}
              </th>
              <td className="tabular">{count(undecidedSteps)}</td>
              <td />
              <td>
                <span className="export-bar export-bar-undecided" style={{ width: 24 }} />
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <LeftOut preview={preview} counts={counts} />
    </>
  );
}

function Total({ n, name }: { n: number; name: string }) {
  const { count } = useText().common.format;
  return (
    <p>
      <b className="text-20 tabular">{count(n)}</b> <span className="quiet">{name}</span>
    </p>
  );
}

/** Runs and rows that are not in the dataset, in the order in which they were taken out. */
function LeftOut({ preview, counts }: Pick<ExportCountsProps, 'preview' | 'counts'>) {
  const words = useText();
  const text = words.exporting;
  const { count } = words.common.format;
  const runs = useRuns((state) => state.list);
  const titleOf = (run: string) => runs.find(({ id }) => id === run)?.title ?? run.slice(-6);
  const dropped = preview.variants.find(({ variant }) => variant === counts.variant)?.dropped ?? [];
  const lines: { key: string; name: string; runs: number | null; rows: number | null }[] = [
    ...preview.filtered.map(({ by, runs: out, rows }) => ({
      key: `filter ${by}`,
      name: text.filteredBy(by),
      runs: out,
      rows,
    })),
    ...dropped.map((each) => ({
      key: `drop ${each.reason}`,
      name: text.dropped(each.reason),
      runs: null,
      rows: each.count,
    })),
    ...preview.inherited.map((each) => ({
      key: `inherited ${each.run}`,
      name: text.inherited(titleOf(each.run), each.steps),
      runs: null,
      rows: null,
    })),
    ...(preview.unfinished > 0
      ? [{ key: 'unfinished', name: text.unfinished(preview.unfinished), runs: null, rows: null }]
      : []),
    ...(preview.duplicates.length > 0 && !preview.filtered.some(({ by }) => by === 'deduplicate')
      ? [{ key: 'duplicates', name: text.duplicates(preview.duplicates.length), runs: null, rows: null }]
      : []),
  ].filter((line) => line.runs !== 0 || line.rows !== 0);
  if (lines.length === 0) return null;
  return (
    <table className="export-table export-left" data-testid="left-out">
      <thead>
        <tr>
          <th scope="col">{text.leftOut}</th>
          <th scope="col">{text.runs}</th>
          <th scope="col">{text.rowsName}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.key}>
            <th scope="row" className="soft">
              {line.name}
            </th>
            <td className="tabular">{line.runs === null || line.runs === 0 ? '' : count(line.runs)}</td>
            <td className="tabular">{line.rows === null || line.rows === 0 ? '' : count(line.rows)}</td>
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}
