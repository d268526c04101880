import { ColumnHeads } from '../../components/ColumnHeads';
import { Empty } from '../../components/Empty';
import { useNewest } from '../../state/answers';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import './queries.css';

export interface QueriesViewProps {
  run: string;
  step: number;
}

/** What the agent looked for, newest first: files, text in files, the web. A row goes to its step. */
export function QueriesView({ run, step }: QueriesViewProps) {
  const words = useText();
  const text = words.queries;
  const steps = useTimeline((state) => state.steps);
  const queries = useNewest('queries.list', { run }, steps)?.value ?? null;
  if (queries === null) return null;
  if (queries.length === 0) return <Empty icon="search" title={text.emptyTitle} text={text.emptyText} />;
  return (
    <table className="queries">
      <ColumnHeads heads={[text.step, text.action, text.query, text.where, text.hits]} />
      <tbody>
        {[...queries.entries()].reverse().map(([nth, query]) => (
          <tr key={nth} aria-current={query.step === step ? 'true' : undefined}>
            <td>
              <button type="button" className="link tabular" onClick={() => moveCursor(query.step)}>
                {query.step}
              </button>
            </td>
            <td className="quiet">{query.tool}</td>
            <td className="mono-12">{query.query}</td>
            <td className="mono-12 quiet">{query.where}</td>
            <td className="tabular">{query.hits ?? words.common.unknown}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
