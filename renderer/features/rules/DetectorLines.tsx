import type { RunRules } from '@shared/contract/rules/rule-views';
import { useText } from '../../text/language';
import { StepLinks } from './StepLinks';

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
