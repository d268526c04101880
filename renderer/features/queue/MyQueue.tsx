import { queueClasses } from '@shared/labels/review/queue-views';
import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { attempt } from '../../state/toasts';
import { setMode } from '../../state/view';
import { useText } from '../../text/language';
import { openJudge } from '../judging/judging';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { goQueue, useQueue } from './queue';

/** The person's runs with what is left in each, by class. */
export function MyQueue({ onGo }: { onGo: () => void }) {
  const text = useText();
  const words = text.queue;
  const { count } = text.common.format;
  const view = useQueue((state) => state.view);
  if (view === null) return null;
  if (view.runs.length === 0) return <Empty icon="done" title={words.emptyTitle} text={words.emptyText} />;
  return (
    <>
      <table className="queue-table" data-testid="my-queue">
        <thead>
          <tr>
            <th scope="col">{words.runColumn}</th>
            <th scope="col">{words.decidedColumn}</th>
            {queueClasses.map((each) => (
              <th key={each} scope="col">
                {words.className(each)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {view.runs.map((run) => (
            <tr key={run.run}>
              <th scope="row">
                <span className="cut">{run.title}</span>{' '}
                <span className="quiet">
                  {run.assigned ? (run.blind > 0 ? words.blind(count(run.blind)) : '') : words.nobody}
                </span>
              </th>
              <td>{words.ofTotal(count(run.decided), count(run.total))}</td>
              {queueClasses.map((each) => (
                <td key={each}>{count(run.left[each])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <div className="queue-actions">
        <Button
          onClick={() => {
            onGo();
            useQueue.setState({ rest: true });
          }}
          keys={<CommandKeys command="queue.rest" />}
        >
          {words.rest}
        </Button>
        <Button
          onClick={() => {
            onGo();
            openJudge(view.runs.map(({ run }) => run));
          }}
        >
          {text.judging.item}
        </Button>
        <span className="space" />
        <Button
          look="primary"
          data-autofocus
          keys={<CommandKeys command="queue.next" />}
          onClick={() => {
            onGo();
            setMode('review');
            attempt(() => goQueue(1));
          }}
        >
          {words.start}
        </Button>
      </div>
    </>
  );
}
