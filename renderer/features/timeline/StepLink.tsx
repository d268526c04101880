import { moveCursor } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** The number of another step, and the way there. */
export function StepLink({ step }: { step: number }) {
  const words = useText().detail;
  return (
    <button
      type="button"
      className="link step-link tabular"
      aria-label={words.goToStep(step)}
      onClick={() => moveCursor(step)}
    >
      {step}
    </button>
  );
}
