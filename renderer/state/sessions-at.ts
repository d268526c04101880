import type { SessionAt } from '@shared/contract/views';
import { call } from '../api';
import { useAnswer } from './answer';
import { useTimeline } from './timeline';

/** The run's sessions as they were when a step was over; null until that is read. Asked for only while `wanted`. */
export function useSessionsAt(run: string | null, step: number, wanted: boolean): SessionAt[] | null {
  // A step that goes on has another end when it is over, and so has the last one.
  const until = useTimeline(({ heads, steps }) => (heads.get(step)?.done === true ? 'done' : steps));
  const asked = `${run}/${step}`;
  const answer = useAnswer(wanted && run !== null && step > 0 ? `${asked} ${until}` : null, async () => ({
    asked,
    sessions: run === null ? [] : await call('sessions.at', { run, step }),
  }));
  return answer?.asked === asked ? answer.sessions : null;
}
