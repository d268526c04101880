import { useText } from '../../text/language';

const SHOWN = 12;

/** Step numbers that lead to their steps; of many only the first. */
export function StepLinks({ steps, goTo }: { steps: readonly number[]; goTo: (step: number) => void }) {
  const words = useText().rules;
  return (
    <span className="rules-steps">
      {steps.slice(0, SHOWN).map((step) => (
        <button
          key={step}
          type="button"
          className="link tabular"
          aria-label={words.goTo(step)}
          onClick={() => goTo(step)}
        >
          {step}
        </button>
      ))}
      {steps.length > SHOWN && <span className="quiet">{words.more(steps.length - SHOWN)}</span>}
    </span>
  );
}
