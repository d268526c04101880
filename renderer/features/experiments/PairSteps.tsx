import type { StepHead } from '@shared/contract/views';
import { type Band, pairLines, type StepSpan } from '@shared/experiments/side-by-side';
import type { RunStats } from '@shared/runs/run-stats';
import { useQueries } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { answers, question } from '../../state/answer-cache';
import { useText } from '../../text/language';
import { openStep } from '../tokens/open-step';
import type { Pair } from './experiments';

/** Height of a line, px: what was done, and what came of it. */
const LINE = 44;
/** Steps asked for at once. */
const CHUNK = 100;
const HOUR = 3_600_000;

export interface PairStepsProps {
  pair: Pair;
  bands: readonly Band[];
  /** Each band has a line of its own that names its score. */
  heads: boolean;
  stats: readonly [RunStats, RunStats];
}

/** The steps of two runs beside one another; only those on the screen are asked for. */
export function PairSteps({ pair, bands, heads, stats }: PairStepsProps) {
  const text = useText().experiments;
  const box = useRef<HTMLElement>(null);
  const lines = useMemo(() => pairLines(bands, heads), [bands, heads]);
  const rows = useVirtualizer({
    count: lines.count,
    getScrollElement: () => box.current,
    estimateSize: () => LINE,
    overscan: 8,
  });
  const shown = rows.getVirtualItems().flatMap(({ index, start }) => {
    const line = lines.at(index);
    return line === undefined ? [] : [{ index, start, line }];
  });
  const stepsOf = (side: 'a' | 'b') =>
    shown.flatMap(({ line }) => ('band' in line ? [] : (line[side] ?? [])));
  const ofA = useHeads(pair.a, stepsOf('a'));
  const ofB = useHeads(pair.b, stepsOf('b'));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard
    <section ref={box} className="experiment-pair-steps" aria-label={text.pairSteps} tabIndex={0}>
      <ol className="experiment-pair-space" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start, line }) => (
          <li
            key={index}
            className={`experiment-pair-line ${'band' in line ? 'experiment-band' : ''}`}
            style={{ transform: `translateY(${start}px)` }}
          >
            {'band' in line ? (
              <>
                <BandSide band={line.band} span={line.band.a} stats={stats[0]} />
                <BandSide band={line.band} span={line.band.b} stats={stats[1]} />
              </>
            ) : (
              <>
                <Step run={pair.a} step={line.a} head={line.a === null ? undefined : ofA.get(line.a)} />
                <Step run={pair.b} step={line.b} head={line.b === null ? undefined : ofB.get(line.b)} />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Heads of some steps, asked for by the hundred they are in. */
function useHeads(run: string, steps: readonly number[]): ReadonlyMap<number, StepHead> {
  const chunks = [...new Set(steps.map((step) => Math.floor((step - 1) / CHUNK)))];
  const found = useQueries(
    {
      queries: chunks.map((chunk) =>
        question('timeline.heads', { run, from: chunk * CHUNK + 1, to: (chunk + 1) * CHUNK }),
      ),
    },
    answers,
  );
  return new Map(found.flatMap(({ data }) => (data?.value ?? []).map((head) => [head.step, head] as const)));
}

interface BandSideProps {
  band: Band;
  span: StepSpan;
  stats: RunStats;
}

/** What a run needed for a band: how many steps, and when it was through. */
function BandSide({ band: { reaches }, span, stats }: BandSideProps) {
  const words = useText();
  const text = words.experiments;
  const steps = Math.max(0, span.to - span.from + 1);
  const reached =
    reaches === null
      ? undefined
      : stats.evaluations.find(({ score }) => score !== null && score >= reaches)?.workingMs;
  return (
    <span className="row">
      <b className="medium">
        {reaches === null ? text.afterCommon : text.toScore(words.common.format.score(reaches))}
      </b>
      <span className="quiet tabular">
        {steps === 0
          ? text.noFurtherSteps
          : reached == null
            ? words.common.steps(steps)
            : text.stepsAndHour(words.common.steps(steps), (reached / HOUR).toFixed(1))}
      </span>
    </span>
  );
}

interface StepProps {
  run: string;
  step: number | null;
  head: StepHead | undefined;
}

function Step({ run, step, head }: StepProps) {
  const words = useText();
  if (step === null) return <span />;
  return (
    <div className="experiment-pair-step">
      <button
        type="button"
        className="link tabular"
        aria-label={words.datasets.openStep(step)}
        onClick={() => openStep(run, step)}
      >
        {step}
      </button>
      <div className="experiment-pair-texts">
        <p className="row text-12">
          <span className="mono-12 cut" title={head?.title}>
            {head?.title}
          </span>
          {head?.score != null && (
            <b className="medium experiment-pair-score">
              {words.experiments.scoreIs(words.common.format.score(head.score))}
            </b>
          )}
        </p>
        <p className={`mono-11 cut ${head?.ok === false ? 'tone-danger' : 'quiet'}`}>{head?.observation}</p>
      </div>
    </div>
  );
}
