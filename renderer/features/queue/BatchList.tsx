import { call } from '../../api';
import { Button } from '../../components/Button';
import { useAsked } from '../../state/answers';
import { attempt, toast } from '../../state/toasts';
import { useText } from '../../text/language';
import { loadQueue } from './queue';

/** What was handed out, each batch with who has it, to be taken back as a whole. */
export function BatchList() {
  const text = useText();
  const words = text.queue;
  const { count } = text.common.format;
  const { value, again } = useAsked('queue.batches', undefined);
  if (value === null || value.length === 0) return null;
  return (
    <section aria-label={words.batches}>
      <h3 className="text-12 strong">{words.batches}</h3>
      {value.map((batch) => (
        <div key={batch.batch} className="queue-batch">
          <span className="cut">
            {batch.people.map(({ person, steps }) => `${person.name} ${count(steps)}`).join(', ')}
          </span>
          <span className="quiet text-12">{words.batchBy(batch.by, count(batch.steps))}</span>
          <span className="space" />
          <Button
            small
            onClick={() =>
              attempt(async () => {
                await call('queue.takeBack', { batch: batch.batch });
                toast((words) => words.queue.tookBack);
                again();
                await loadQueue();
              })
            }
          >
            {words.takeBack}
          </Button>
        </div>
      ))}
    </section>
  );
}
