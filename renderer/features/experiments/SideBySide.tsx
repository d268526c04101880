import type { RunSummary } from '@shared/contract/views';
import { bandByStep, bandsByScore, type ScoredRun } from '@shared/experiments/side-by-side';
import type { RunStats } from '@shared/runs/run-stats';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { Select } from '../../components/Field';
import { Segmented } from '../../components/Tabs';
import { useKept } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import '../plots/plots.css';
import { compareRuns, type Pair, showExperiments } from './experiments';
import { PairScores } from './PairScores';
import { PairSteps } from './PairSteps';

type PairView = 'score' | 'step' | 'plot';

/** Two runs side by side: step against step, what each did to come to the same score, and their scores over time. */
export function SideBySide({ pair }: { pair: Pair }) {
  const words = useText();
  const text = words.experiments;
  const [view, setView] = useState<PairView>('score');
  const runs = useRuns((state) => state.list);
  const [a, b] = [pair.a, pair.b].map((id) => runs.find((run) => run.id === id));
  const stats = [
    useKept('stats.run', { run: pair.a }, a?.steps),
    useKept('stats.run', { run: pair.b }, b?.steps),
  ];
  const [one, other] = stats.map(({ answer }) => answer?.value);
  const failure = stats.map((each) => each.failure).find((each) => each !== null);
  return (
    <section className="experiment-pair" aria-label={text.pairTitle} data-pane="pair">
      <header className="experiment-pair-bar">
        <h2 className="hidden-visually">{text.pairTitle}</h2>
        <Button look="ghost" small icon="left" onClick={() => attempt(showExperiments)}>
          {text.back}
        </Button>
        <span className="space" />
        <Segmented<PairView>
          label={text.pairView}
          items={(['score', 'step', 'plot'] as const).map((id) => ({ id, label: text.pairViews[id] }))}
          chosen={view}
          onChoose={setView}
        />
      </header>
      <div className="experiment-pair-heads">
        <RunHead side="a" run={a} pair={pair} />
        <IconButton
          icon="repeat"
          label={text.swap}
          small
          onClick={() => compareRuns({ a: pair.b, b: pair.a })}
        />
        <RunHead side="b" run={b} pair={pair} />
      </div>
      {failure !== undefined && <FailureLine failure={failure} />}
      {one !== undefined && other !== undefined ? (
        <PairBody view={view} pair={pair} stats={[one, other]} />
      ) : (
        failure === undefined && <p className="export-wait text-12 quiet">{words.common.loading}</p>
      )}
    </section>
  );
}

interface PairBodyProps {
  view: PairView;
  pair: Pair;
  stats: readonly [RunStats, RunStats];
}

function PairBody({ view, pair, stats: [one, other] }: PairBodyProps) {
  const text = useText().experiments;
  const bands = useMemo(() => {
    const [a, b] = [scoredRun(one), scoredRun(other)];
    return view === 'score' ? bandsByScore(a, b) : bandByStep(a, b);
  }, [view, one, other]);
  if (view === 'plot') return <PairScores one={one} other={other} />;
  if (one.steps === 0 && other.steps === 0) {
    return <Empty icon="list" title={text.noSteps} text={text.noStepsText} />;
  }
  const isShared = view === 'score' && bands.some(({ reaches }) => reaches !== null);
  return (
    <>
      {view === 'score' && !isShared && (
        <p className="experiment-pair-note text-12 quiet">{text.noCommonScore}</p>
      )}
      <PairSteps key={view} pair={pair} bands={bands} heads={isShared} stats={[one, other]} />
    </>
  );
}

function scoredRun({ steps, evaluations }: RunStats): ScoredRun {
  return {
    steps,
    scores: evaluations.flatMap(({ step, score }) => (score === null ? [] : [{ step, score }])),
  };
}

interface RunHeadProps {
  side: 'a' | 'b';
  run: RunSummary | undefined;
  pair: Pair;
}

/** Which run stands on this side, and what it came to. */
function RunHead({ side, run, pair }: RunHeadProps) {
  const words = useText();
  const text = words.experiments;
  const runs = useRuns((state) => state.list);
  const id = pair[side];
  const known = run === undefined ? [{ value: id, label: text.unknownRun(id.slice(-6)) }] : [];
  return (
    <div className="experiment-pair-head">
      <Select<string>
        aria-label={text.pairSide[side]}
        value={id}
        options={[...known, ...runs.map(({ id: value, title }) => ({ value, label: title }))]}
        onChoose={(chosen) => compareRuns({ ...pair, [side]: chosen })}
      />
      {run !== undefined && <p className="text-12 quiet cut">{words.common.list(factsOf(run, words))}</p>}
    </div>
  );
}

function factsOf(run: RunSummary, { common, experiments: text }: Text): string[] {
  const { format } = common;
  return [
    run.model,
    text.finalIs(format.score(run.scores.final)),
    text.bestIs(format.score(run.scores.best)),
    common.steps(run.steps),
    format.duration(run.workingMs),
    ...(run.cost > 0 ? [format.money(run.cost)] : []),
    text.hintCount(run.hints.delivered),
  ];
}
