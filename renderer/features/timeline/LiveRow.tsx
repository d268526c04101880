import { Icon } from '../../components/Icon';
import { useLive } from '../../state/run/live';
import { useText } from '../../text/language';

/** The answer under way, below the last step. Not a row of the grid: it is no step yet. */
export function LiveRow({ top, step }: { top: number; step: number }) {
  const text = useText();
  const gist = useLive((state) => {
    const answer = state.answer;
    if (answer === null) return '';
    return (answer.call || answer.text || answer.reasoning).trim().split('\n').at(-1)?.slice(-100) ?? '';
  });
  return (
    <div role="presentation" className="step-group" style={{ transform: `translateY(${top}px)` }}>
      <div className="step step-live" aria-hidden="true">
        <i className="gutter" />
        <span className="step-number">{step}</span>
        <span />
        <span className="step-text">
          <span className="step-gist cut">{gist}</span>
        </span>
        <span className="step-by step-by-live">
          <span className="chip">
            <Icon name="working" small />
            {text.timeline.thinking}
          </span>
        </span>
      </div>
    </div>
  );
}
