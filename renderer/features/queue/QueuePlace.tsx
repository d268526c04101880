import { IconButton } from '../../components/Button';
import { useTimeline } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { confidenceShort } from '../timeline/row-words';
import { leaveQueue, useQueue } from './queue';
import './queue.css';

/** Where in the queue the step under review stands; nothing outside queue mode. */
export function QueuePlace() {
  const text = useText();
  const item = useQueue((state) => state.item);
  const place = useQueue((state) => state.place);
  const sure = useTimeline(({ run, heads }) =>
    item === null || run !== item.run ? null : (heads.get(item.step)?.judge?.confidence ?? null),
  );
  if (item === null) return null;
  return (
    <div className="queue-place text-12" role="status" data-testid="queue-place">
      <span className="tabular">
        {place !== null
          ? text.queue.place(place.at, place.of)
          : item.class === 'unsure' && sure !== null
            ? text.queue.unsure(confidenceShort(sure))
            : text.queue.inClass(item.class)}
      </span>
      <span className="space" />
      <span className="row quiet">
        {text.queue.next}
        <CommandKeys command="queue.next" />
      </span>
      <IconButton icon="close" small label={text.queue.leave} onClick={leaveQueue} />
    </div>
  );
}
