import { moveCursor } from '../../state/run/timeline';
import { useText } from '../../text/language';

/** Steps to go to, after a word that says what they are. Nothing without steps. */
export function StepLinks({ label, steps }: { label: string; steps: readonly number[] }) {
  const text = useText();
  if (steps.length === 0) return null;
  return (
    <p>
      {label}{' '}
      {steps.map((step) => (
        <button
          key={step}
          type="button"
          className="link layer-step"
          aria-label={text.labels.goTo(step)}
          onClick={() => moveCursor(step)}
        >
          {step}
        </button>
      ))}
    </p>
  );
}

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
