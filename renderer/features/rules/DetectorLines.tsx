import type { RunRules } from '@shared/contract/rules/rule-views';
import { useText } from '../../text/language';

/** Habits that the inbox names: no labels, but they name steps. */
export function DetectorLines({
  detectors,
  goTo,
}: {
  detectors: RunRules['detectors'];
  goTo: (step: number) => void;
}) {
  const text = useText();
  const words = text.rules;
  if (detectors.length === 0) return null;
  return (
    <section aria-label={words.detectors}>
      <h3 className="rules-group">{words.detectors}</h3>
      <ul className="rules-list">
        {detectors.map(({ kind, step, steps }) => (
          <li key={`${kind} ${step} ${steps[0]}`} className="rules-detector text-12">
            <span>{words.detectorName(kind)}</span>
            <StepLinks steps={steps.length > 0 || step === null ? steps : [step]} goTo={goTo} />
          </li>
        ))}
      </ul>
    </section>
  );
}

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
