import type { TaskShare } from '@shared/contract/export-views';
import { useState } from 'react';
import { ColumnHeads } from '../../components/ColumnHeads';
import { Segmented } from '../../components/Tabs';
import { useText } from '../../text/language';

type By = 'domain' | 'task';

/** What a dataset is made of, by domain or by task. */
export function DatasetComposition({ shares }: { shares: readonly TaskShare[] }) {
  const words = useText();
  const text = words.datasets;
  const { format } = words.common;
  const [by, setBy] = useState<By>('domain');
  const lines = summed(shares, (share) =>
    by === 'domain' ? (share.domain ?? words.experiments.noDomain) : share.task,
  );
  const trained = shares.reduce((sum, share) => sum + share.trained, 0);
  return (
    <section aria-label={text.composition}>
      <h3 className="row">
        {text.composition}
        <Segmented<By>
          label={words.experiments.by}
          items={(['domain', 'task'] as const).map((id) => ({ id, label: words.experiments[id] }))}
          chosen={by}
          onChoose={setBy}
        />
      </h3>
      <table className="dataset-composition text-12">
        <ColumnHeads
          heads={[
            ...[words.experiments[by], text.compositionRuns, text.compositionRows],
            ...[text.trained, text.masked, text.compositionShare],
          ]}
        />
        <tbody>
          {lines.map(([name, line]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {[line.runs, line.rows, line.trained, line.masked].map((n, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move
                <td key={column}>{format.count(n)}</td>
              ))}
              <td>
                {trained === 0 ? words.experiments.nothing : text.percent((line.trained / trained) * 100)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Sums = Pick<TaskShare, 'runs' | 'rows' | 'trained' | 'masked'>;

/** By name, in the order in which names come. */
function summed(shares: readonly TaskShare[], nameOf: (share: TaskShare) => string): [string, Sums][] {
  const sums = new Map<string, Sums>();
  for (const share of shares) {
    const sum = sums.get(nameOf(share)) ?? { runs: 0, rows: 0, trained: 0, masked: 0 };
    sums.set(nameOf(share), {
      runs: sum.runs + share.runs,
      rows: sum.rows + share.rows,
      trained: sum.trained + share.trained,
      masked: sum.masked + share.masked,
    });
  }
  return [...sums];
}
