import type { StepDetail } from '@shared/contract/views';
import { GUIDELINE_VERSION, keepCodes, type ReasonCode, reasonCodes } from '@shared/labels/guideline';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useNewest } from '../../state/answers';
import { useTimeline } from '../../state/run/timeline';
import { useWritable } from '../../state/workspace';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { pointFor } from './guideline';
import { keepCommands, useLabels } from './labels';
import { giveReason } from './reasons';
import { StepLinks } from './StepLinks';

/** The nine points by which steps are masked, and what is kept; open at the one that the step, or the armed reason, is about. */
export function GuidelinePanel({ detail }: { detail: StepDetail | undefined }) {
  const text = useText();
  const words = text.guideline;
  const run = useTimeline((state) => state.run);
  const armed = useLabels((state) => state.reason);
  const head = detail?.head;
  const given = detail?.labels.humans.map(({ reason }) => reason);
  const about = pointFor(head, armed, given);
  const [open, setOpen] = useState<ReasonCode | null>(about);
  const byHand = useRef(false);
  // A point opened by hand stays until the step, or the reason, is about another one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step opens its own point, also the same one again
  useEffect(() => {
    if (about === null && byHand.current) return;
    byHand.current = false;
    setOpen(about);
  }, [about, head?.step]);
  // What is shown as an example changes with each decision on this step.
  const answer = useNewest(
    'guideline.examples',
    run === null || open === null ? null : { run },
    JSON.stringify([head?.step, head?.label]),
  );
  const examples = answer?.input.run === run ? answer?.value : undefined;
  return (
    <section aria-label={words.name}>
      <div className="pane-head guideline-head">
        <Icon name="book" className="quiet" />
        <h2>{words.version(GUIDELINE_VERSION)}</h2>
        <span className="space" />
        <span className="text-11 quiet">{words.note}</span>
      </div>
      <ol>
        {reasonCodes.map((code, index) => (
          <li key={code} className={open === code ? 'guideline-open' : ''}>
            <button
              type="button"
              className="guideline-rule"
              aria-expanded={open === code}
              onClick={() => {
                byHand.current = true;
                setOpen(open === code ? null : code);
              }}
            >
              <span className="mono-12 quiet">{index + 1}</span>
              <span className="cut">{text.labels.reasonName(code)}</span>
              {armed === code && <span className="chip">{words.held}</span>}
            </button>
            {open === code && (
              <Point
                code={code}
                number={index + 1}
                armed={armed === code}
                examples={examples?.find(({ reason }) => reason === code)}
              />
            )}
          </li>
        ))}
      </ol>
      <div className="guideline-keeps">
        <h3>{words.keepTitle}</h3>
        <dl>
          {keepCodes.map((code, index) => {
            const keep = words.keeps[index];
            return (
              keep !== undefined && (
                <div key={code}>
                  <dt className="row">
                    {keep.name}
                    <CommandKeys command={keepCommands[code]} />
                    {armed === code && <span className="chip">{words.held}</span>}
                  </dt>
                  <dd>{keep.text}</dd>
                </div>
              )
            );
          })}
        </dl>
        <h3>{words.principleTitle}</h3>
        <p>{words.principle}</p>
      </div>
    </section>
  );
}

interface PointProps {
  code: ReasonCode;
  number: number;
  armed: boolean;
  examples: { steps: number[]; total: number } | undefined;
}

function Point({ code, number, armed, examples }: PointProps) {
  const text = useText();
  const words = text.guideline;
  const writable = useWritable();
  const point = words.point(code);
  return (
    <div className="guideline-point">
      <p>{point.text}</p>
      <p className="quiet">{words.counts(point.counts)}</p>
      {examples === undefined ? (
        <p className="quiet">{words.noExamples}</p>
      ) : (
        <StepLinks label={words.examples(text.common.format.count(examples.total))} steps={examples.steps} />
      )}
      <Button small look="ghost" disabled={!writable} aria-pressed={armed} onClick={() => giveReason(number)}>
        {words.give}
      </Button>
    </div>
  );
}
