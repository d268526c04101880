import type { ExperimentListing, ExperimentRun } from '@shared/experiments/experiment-run';
import { reportMarkdown } from '@shared/experiments/report';
import { runsCsv } from '@shared/experiments/runs-csv';
import { type ArmSummary, summariseArms } from '@shared/experiments/summary';
import { memo, useDeferredValue, useMemo } from 'react';
import { Button } from '../../components/Button';
import { FailureLine } from '../../components/FailureLine';
import { useKept } from '../../state/answers';
import { useText } from '../../text/language';
import '../plots/plots.css';
import { ArmsTable } from './ArmsTable';
import { Contamination } from './Contamination';
import { saveText } from './experiments';
import { EffortTable, HintsTable } from './HintsAndEffort';
import { PartsTable } from './PartsTable';
import { RunsTable } from './RunsTable';
import { ScalingPlot } from './ScalingPlot';

/** One experiment: what its arms came to, side by side, and everything of it as files. */
export function ExperimentDetail({ listing }: { listing: ExperimentListing }) {
  const words = useText();
  const text = words.experiments;
  const { name } = listing;
  // Asked again when a run is added or ends, not with each step of each.
  const version = `${listing.runs} ${listing.ended}`;
  const { answer, failure, again, waiting } = useKept('experiments.show', { name }, version);
  const runs = answer?.input.name === name ? answer.value : null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls is reached by keyboard
    <section className="experiment" aria-label={text.experiment} tabIndex={0} data-testid="experiment">
      <header className="experiment-head">
        <div className="experiment-name">
          <h2 className="text-15 cut">{name}</h2>
          <p className="text-12 quiet">
            {text.facts(listing.arms, listing.tasks, listing.runs, listing.ended)}
          </p>
        </div>
        <span className="space" />
        {listing.ended < listing.runs && (
          <Button look="ghost" icon="repeat" disabled={waiting} onClick={again}>
            {text.refresh}
          </Button>
        )}
        <Button
          disabled={runs === null}
          onClick={() => runs !== null && saveText(text.fileName(name, text.runsTitle), 'csv', runsCsv(runs))}
        >
          {text.saveRuns}
        </Button>
        <Button
          look="primary"
          disabled={runs === null}
          onClick={() => runs !== null && saveText(name, 'md', `${reportMarkdown(name, runs)}\n`)}
        >
          {text.saveReport}
        </Button>
      </header>
      {failure !== null && <FailureLine failure={failure} />}
      {runs === null && failure === null && <p className="text-12 quiet">{words.common.loading}</p>}
      {runs !== null && <Parts name={name} runs={runs} />}
    </section>
  );
}

interface PartsProps {
  name: string;
  runs: readonly ExperimentRun[];
  arms: readonly ArmSummary[];
}

/** The arms are painted first: they are what the page is opened for, and the rest takes as long again. */
function Parts({ name, runs }: Omit<PartsProps, 'arms'>) {
  const text = useText().experiments;
  const now = useMemo(() => ({ runs, arms: summariseArms(runs) }), [runs]);
  const later = useDeferredValue<typeof now | null>(now, null);
  const branches = runs.filter(({ branch }) => branch).length;
  const going = runs.filter(({ ended, branch }) => !ended && !branch).length;
  return (
    <>
      {(going > 0 || branches > 0) && (
        <p className="text-12 quiet experiment-note">
          {[
            ...(going > 0 ? [text.going(going)] : []),
            ...(branches > 0 ? [text.branches(branches)] : []),
          ].join(' ')}
        </p>
      )}
      <ArmsTable name={name} arms={now.arms} />
      {later !== null && <FurtherParts name={name} {...later} />}
    </>
  );
}

const FurtherParts = memo(({ name, runs, arms }: PartsProps) => (
  <>
    <PartsTable name={name} arms={arms} />
    <ScalingPlot arms={arms} runs={runs} />
    <HintsTable name={name} arms={arms} runs={runs} />
    <EffortTable name={name} arms={arms} runs={runs} />
    <Contamination name={name} />
    <RunsTable runs={runs} />
  </>
));
