import type { JudgeBatchView } from '@shared/contract/judge-views';
import { useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { FailureLine } from '../../components/FailureLine';
import { FormLine, Select, TextField } from '../../components/Field';
import { useRested } from '../../components/useRested';
import { useKept, useNewest } from '../../state/answers';
import { useOwnFailure } from '../../state/own-failure';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { useOnlyRead } from '../../state/workspace';
import { useText } from '../../text/language';
import { loadBatches, shareOf, stopBatch, useBatches } from '../jobs/judge-batches';
import { numberIn } from '../new-run/limits';
import { estimatedCost } from './EstimateBox';
import { MOST_NAME } from './JudgesLine';
import { LimitField } from './LimitField';
import { useRubric } from './rubric';
import { TrialResult } from './TrialResult';

/** The estimate follows what is typed once the person has stopped typing, ms. */
const TYPING_MS = 500;

interface RubricTrialPartProps {
  task: string;
  text: string;
  /** The text is another one than holds, and can be one. */
  isChanged: boolean;
  /** A step was gone to. */
  onGo: () => void;
}

/** Trying the text on a run: what that costs, how far it is, and what would change. */
export function RubricTrialPart({ task, text, isChanged, onGo }: RubricTrialPartProps) {
  const words = useText();
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const list = useRuns((state) => state.list);
  const { run, judge } = useRubric();
  const { rubric } = words;
  const runs = list.filter((each) => each.task.id === task);
  const chosen = runs.find(({ id }) => id === run) ?? runs[0];
  const endpoint = endpoints.find(({ name }) => name === judge.endpoint) ?? endpoints[0];
  const set = (part: Partial<typeof judge>) => useRubric.setState({ judge: { ...judge, ...part } });
  if (endpoint === undefined || chosen === undefined)
    return (
      <section className="rubric-try" aria-label={rubric.try}>
        <h3>{rubric.try}</h3>
        <p className="quiet text-12">{endpoint === undefined ? rubric.noEndpoint : rubric.noRun}</p>
      </section>
    );
  const limit = endpoint.price === null ? null : numberIn(judge.limit);
  return (
    <section className="rubric-try" aria-label={rubric.try}>
      <h3>{rubric.try}</h3>
      <p className="soft text-12">{rubric.tryLead}</p>
      <div className="rubric-form">
        <FormLine label={rubric.run}>
          {({ id }) => (
            <Select
              id={id}
              value={chosen.id}
              options={runs.map((each) => ({ value: each.id, label: each.title }))}
              onChoose={(next) => useRubric.setState({ run: next })}
            />
          )}
        </FormLine>
        <FormLine label={rubric.judge}>
          {({ id }) => (
            <div className="rubric-judge">
              <Select
                id={id}
                title={endpoint.baseUrl}
                value={endpoint.name}
                options={endpoints.map(({ name, model }) => ({ value: name, label: `${name} (${model})` }))}
                onChoose={(name) => set({ endpoint: name })}
              />
              <TextField
                aria-label={words.judging.name(1, 1)}
                value={judge.name}
                maxLength={MOST_NAME}
                placeholder={endpoint.name}
                onChange={(event) => set({ name: event.target.value })}
              />
            </div>
          )}
        </FormLine>
        <LimitField
          judges={1}
          value={judge.limit}
          priced={endpoint.price !== null}
          isBad={limit === false}
          onChange={(value) => set({ limit: value })}
        />
      </div>
      <Trial
        run={chosen.id}
        endpoint={endpoint.name}
        judge={judge.name.trim() || endpoint.name}
        text={text}
        isChanged={isChanged}
        limit={limit}
        onGo={onGo}
      />
    </section>
  );
}

interface TrialProps extends Omit<RubricTrialPartProps, 'task'> {
  run: string;
  endpoint: string;
  /** As its votes are signed. */
  judge: string;
  limit: number | null | false;
}

function Trial({ limit, onGo, ...asked }: TrialProps) {
  const text = useText();
  const words = text.rubric;
  const onlyRead = useOnlyRead();
  const [starting, setStarting] = useState(false);
  const { failure, tell, clear } = useOwnFailure();
  const rested = useRested(asked, TYPING_MS, (each) => JSON.stringify(each));
  const isRested = JSON.stringify(rested) === JSON.stringify(asked);
  const { run, endpoint, judge, isChanged } = rested;
  const batch = useBatches((state) =>
    state.list.find((each) => each.isTrial && each.judge === judge && each.runs[0] === run),
  );
  const running = batch?.state === 'running' ? batch : null;
  const version = `${batch?.id} ${batch?.votes} ${batch?.state}`;
  const asks = { mode: 'mask' as const, rubric: { text: rested.text }, isTrial: true };
  const request = { runs: [run], steps: 'all' as const, asks, judges: [{ endpoint, judge }] };
  const found = useKept('judge.estimate', isChanged ? request : null, version);
  const trial = useNewest('rubric.trial', isChanged ? { run, judge, text: rested.text } : null, version);
  const estimate = isChanged ? (found.answer?.value.judges[0] ?? null) : null;
  const result = trial !== null && trial.input.text === asked.text ? trial.value : null;

  async function start(): Promise<void> {
    setStarting(true);
    clear();
    try {
      await call('judge.start', { ...request, maxCost: limit === false ? null : limit });
      await loadBatches();
    } catch (thrown) {
      tell(thrown);
    } finally {
      setStarting(false);
    }
  }

  /** Why it cannot be tried, or what that takes. */
  function state(): string {
    if (onlyRead) return text.frame.onlyReadWhy;
    if (!asked.isChanged) return words.changeFirst;
    if (estimate === null || found.waiting || !isRested) return found.failure === null ? words.counting : '';
    if (estimate.steps === 0) return words.tried(judge);
    if (estimate.obstacle !== null) return text.frame.failure(estimate.obstacle);
    return words.estimate(estimate.steps, estimate.requests, estimatedCost(estimate.cost, text));
  }
  const isReady =
    !onlyRead && isRested && isChanged && !found.waiting && estimate !== null && estimate.steps > 0;
  return (
    <>
      {found.failure !== null && <FailureLine failure={found.failure} />}
      {failure !== null && <FailureLine failure={failure} />}
      <div className="rubric-start">
        <span className="text-12 quiet tabular" role="status" data-testid="trial-state">
          {running === null ? state() : <Progress batch={running} />}
        </span>
        <span className="space" />
        {running === null ? (
          <Button
            icon="play"
            disabled={!isReady || starting || limit === false || estimate.obstacle !== null}
            onClick={() => void start()}
          >
            {starting ? words.starting : words.start}
          </Button>
        ) : (
          <Button icon="stop" disabled={running.isStopping} onClick={() => stopBatch(running.id)}>
            {words.stop}
          </Button>
        )}
      </div>
      {batch?.failure != null && running === null && <FailureLine failure={batch.failure} />}
      {result !== null && result.tried > 0 && <TrialResult trial={result} onGo={onGo} />}
    </>
  );
}

function Progress({ batch }: { batch: JudgeBatchView }) {
  const text = useText();
  const { count } = text.common.format;
  const share = shareOf(batch);
  return (
    <span className="rubric-progress">
      <span
        className="job-bar"
        role="progressbar"
        aria-label={text.judging.progress(batch.judge)}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(share === null ? {} : { 'aria-valuenow': Math.floor(share * 100) })}
      >
        <i style={{ width: `${(share ?? 0) * 100}%` }} />
      </span>
      {batch.total === null
        ? text.judging.votes(count(batch.votes), batch.votes)
        : text.rubric.asking(count(batch.votes), count(batch.total))}
    </span>
  );
}
