import type { ExperimentListing } from '@shared/experiments/experiment-run';
import { hasEnded } from '@shared/runs/run-status';
import type { ReactNode } from 'react';
import { Button } from '../../components/Button';
import { ChoiceList } from '../../components/ChoiceList';
import { Empty } from '../../components/Empty';
import { FailureLine } from '../../components/FailureLine';
import { useNow } from '../../components/useNow';
import { useKept } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';
import { ExperimentDetail } from './ExperimentDetail';
import './experiments.css';
import { chosenOf, useExperiments } from './experiments';
import { SideBySide } from './SideBySide';

/** The experiments of the workspace: a list, and one of them; or two runs side by side. */
export function ExperimentsPage({ head }: { head: ReactNode }) {
  const words = useText();
  const text = words.experiments;
  const wanted = useExperiments((state) => state.name);
  const pair = useExperiments((state) => state.pair);
  const runs = useRuns((state) => state.list.length);
  const ended = useRuns((state) => state.list.filter((run) => hasEnded(run.state)).length);
  const { answer, failure } = useKept('experiments.list', undefined, `${runs} ${ended}`);
  if (pair !== null) return <SideBySide key={`${pair.a} ${pair.b}`} pair={pair} />;
  const list = answer?.value ?? [];
  const chosen = chosenOf(list, wanted);
  return (
    <>
      <div className="export-settings" data-pane="export">
        {head}
        {failure !== null && <FailureLine failure={failure} />}
        {answer === null && failure === null && (
          <p className="export-wait text-12 quiet">{words.common.loading}</p>
        )}
        {list.length > 0 && <ExperimentList list={list} chosen={chosen?.name ?? ''} />}
      </div>
      <div className="dataset" data-pane="experiment">
        {chosen === undefined ? (
          answer !== null && (
            <Empty icon="list" title={text.none} text={text.noneText}>
              <Button onClick={() => openDialog('newRun')}>{text.newRun}</Button>
            </Empty>
          )
        ) : (
          <ExperimentDetail key={chosen.name} listing={chosen} />
        )}
      </div>
    </>
  );
}

interface ExperimentListProps {
  list: readonly ExperimentListing[];
  chosen: string;
}

function ExperimentList({ list, chosen }: ExperimentListProps) {
  const words = useText();
  const text = words.experiments;
  const now = useNow(60_000);
  return (
    <ChoiceList
      label={text.title}
      items={list}
      idOf={({ name }) => name}
      chosen={chosen}
      onChoose={(name) => useExperiments.setState({ name })}
    >
      {({ name, createdAt, arms, tasks, runs, ended }) => (
        <>
          <span className="row">
            <b className="medium cut" title={name}>
              {name}
            </b>
            <span className="space" />
            <span className="text-12 quiet tabular">{words.common.format.when(createdAt, now)}</span>
          </span>
          <span className="text-12 soft tabular cut">{text.facts(arms, tasks, runs, ended)}</span>
        </>
      )}
    </ChoiceList>
  );
}
