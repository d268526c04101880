import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { useAsked } from '../../state/answers';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { openRunAt } from '../branches/branches';

/** How fast the person decides; nobody else is shown this. */
export function MyPace({ onGo }: { onGo: () => void }) {
  const text = useText();
  const words = text.queue;
  const { format } = text.common;
  const shares = useSettings((state) => state.settings?.shareTimes === true);
  const { value: pace, failure } = useAsked('review.pace', undefined);
  if (failure !== null) return <p role="alert">{failure.message}</p>;
  if (pace === null) return null;
  if (pace.medianMs === null)
    return <Empty icon="clock" title={words.paceEmptyTitle} text={words.paceEmptyText} />;
  return (
    <div data-testid="my-pace">
      <p>{words.paceMedian(format.duration(pace.medianMs), format.count(pace.decisions))}</p>
      <dl className="facts-list">
        {pace.classes.map((each) => (
          <div key={each.class} className="queue-fact">
            <dt>{words.className(each.class)}</dt>
            <dd>{words.paceMedian(format.duration(each.medianMs), format.count(each.decisions))}</dd>
          </div>
        ))}
      </dl>
      {pace.streaks.map((streak) => (
        <div key={`${streak.run} ${streak.from}`} className="queue-batch">
          <span>{words.stampHint(streak.n, streak.from, streak.to)}</span>
          <span className="space" />
          <Button
            small
            onClick={() => {
              onGo();
              attempt(() => openRunAt(streak.run, streak.from));
            }}
          >
            {words.goThere}
          </Button>
        </div>
      ))}
      <p className="text-12 quiet">{shares ? words.paceShared : words.pacePrivate}</p>
    </div>
  );
}
