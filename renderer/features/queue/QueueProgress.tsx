import { useEffect } from 'react';
import { useCommand } from '../../state/keys/commands';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { startDwell } from './dwell-watch';
import { QueuePanel } from './QueuePanel';
import { goQueue, openQueue, startQueue, useQueue } from './queue';
import { RestDialog } from './RestDialog';
import './queue.css';

/** How far the person is, in the status line; opens the queue. */
export function QueueProgress() {
  const text = useText();
  const { count } = text.common.format;
  const view = useQueue((state) => state.view);
  const panel = useQueue((state) => state.panel);
  const rest = useQueue((state) => state.rest);
  useEffect(startQueue, []);
  useEffect(startDwell, []);
  useCommand('app.queue', () => openQueue(!useQueue.getState().panel));
  useCommand('queue.next', () => attempt(() => goQueue(1)));
  useCommand('queue.previous', () => attempt(() => goQueue(-1)));
  useCommand('queue.rest', () => useQueue.setState({ rest: true }));
  return (
    <>
      {view !== null && view.total > 0 && (
        <button
          type="button"
          data-testid="queue-progress"
          title={text.queue.progressHelp}
          onClick={() => openQueue()}
        >
          {text.queue.progress(
            count(view.decided),
            count(view.total),
            view.left.disagreement,
            count(view.left.disagreement),
          )}
        </button>
      )}
      {panel && <QueuePanel onClose={() => openQueue(false)} />}
      {rest && <RestDialog onClose={() => useQueue.setState({ rest: false })} />}
    </>
  );
}
