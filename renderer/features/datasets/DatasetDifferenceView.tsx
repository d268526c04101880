import type { DatasetDifference, DatasetView } from '@shared/contract/export-views';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { FailureLine } from '../../components/FailureLine';
import { LabelGlyph } from '../../components/LabelGlyph';
import { useAsked } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useText } from '../../text/language';
import { openStep } from '../tokens/open-step';

const ROW = 28;

export interface DatasetDifferenceViewProps {
  /** The earlier one first reads as "was, is". */
  a: string;
  b: string;
  list: readonly DatasetView[];
}

/** Steps whose mask changed from one export to another, and why. */
export function DatasetDifferenceView({ a, b, list }: DatasetDifferenceViewProps) {
  const words = useText();
  const text = words.datasets;
  const at = (id: string) => list.find((dataset) => dataset.id === id)?.writtenAt ?? 0;
  const [before, after] = at(a) <= at(b) ? [a, b] : [b, a];
  const { value, failure } = useAsked('datasets.difference', { a: before, b: after });
  if (failure !== null) return <FailureLine failure={failure} />;
  if (value === null) return <p className="quiet text-12">{words.common.loading}</p>;
  const names = { a: words.common.format.stamp(at(before)), b: words.common.format.stamp(at(after)) };
  return (
    <>
      <p className="text-12 dataset-difference-count" role="status">
        <b className="medium">{text.differenceCount(words.common.format.count(value.count), value.count)}</b>
        {value.count > value.steps.length && (
          <span className="quiet">
            {' '}
            {text.differenceListed(words.common.format.count(value.steps.length))}
          </span>
        )}
      </p>
      {value.steps.length > 0 && <Steps steps={value.steps} names={names} />}
    </>
  );
}

interface StepsProps {
  steps: DatasetDifference['steps'];
  names: { a: string; b: string };
}

function Steps({ steps, names }: StepsProps) {
  const words = useText();
  const text = words.datasets;
  const runs = useRuns((state) => state.list);
  const box = useRef<HTMLDivElement>(null);
  const lines = useVirtualizer({
    count: steps.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  return (
    <div className="difference">
      <div className="difference-head text-12 quiet">
        <span>{text.step}</span>
        <span>{names.a}</span>
        <span>{names.b}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard */}
      <section ref={box} className="difference-list" aria-label={text.difference} tabIndex={0}>
        <div className="token-space" style={{ height: lines.getTotalSize() }}>
          {lines.getVirtualItems().map(({ index, start }) => {
            const step = steps[index];
            if (step === undefined) return null;
            const title = runs.find(({ id }) => id === step.run)?.title ?? step.run.slice(-6);
            return (
              <div
                key={index}
                className="difference-line text-12"
                data-step={step.step}
                style={{ transform: `translateY(${start}px)` }}
              >
                <span className="row">
                  <button
                    type="button"
                    className="link tabular"
                    onClick={() => openStep(step.run, step.step)}
                  >
                    {words.labels.scopeStep(step.step)}
                  </button>
                  <span className="quiet cut">{title}</span>
                </span>
                <Mask mask={step.a} reason={step.reasonA} />
                <Mask mask={step.b} reason={step.reasonB} />
              </div>
            );
          })}
        </div>
      </section>
    </div>
  );
}

/** What a step is to training in one dataset, and why. */
export function Mask({ mask, reason }: { mask: 0 | 1 | null; reason: string | null }) {
  const words = useText();
  if (mask === null) return <span className="quiet">{words.datasets.notIn}</span>;
  const state = mask === 1 ? 'train' : 'mask';
  return (
    <span className="row">
      <LabelGlyph state={state} />
      <b className={`strong tone-${state}`}>{words.labels[state]}</b>
      {reason !== null && <span className="quiet cut">{words.labels.reasonName(reason)}</span>}
    </span>
  );
}
