import type { CommandInput, CommandOutput } from '@shared/contract/ipc';
import { type JudgedSteps, judgedSteps } from '@shared/judging/batch';
import { useEffect, useState } from 'react';
import { call } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { DialogFoot } from '../../components/DialogFoot';
import { Empty } from '../../components/Empty';
import { FactList } from '../../components/FactList';
import { FailureLine } from '../../components/FailureLine';
import { CheckLine, FormLine, Select, TextField } from '../../components/Field';
import { type Kept, useKept } from '../../state/answers';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { toastFailure } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { useOnlyRead } from '../../state/workspace';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { openTray } from '../jobs/jobs';
import { loadBatches } from '../jobs/judge-batches';
import { numberIn } from '../new-run/limits';
import { chosenRuns, costWords, firstChoice, type JudgedScope, useJudging } from './judging';
import './judging.css';

type Request = CommandInput<'judge.estimate'>;
type Estimate = CommandOutput<'judge.estimate'>;

/** As one request may name. */
const MOST_RUNS = 1_000;
const MOST_NAME = 80;
/** The estimate follows what is typed once the person has stopped typing, ms. */
const TYPING_MS = 300;

/** Which steps a judge is asked about, and what that takes; it is asked in the background, and the jobs show how far it is. */
export function JudgeDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.judging;
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const given = useJudging((state) => state.runs);
  const onlyRead = useOnlyRead();
  const [{ scope, chosen }, setChoice] = useState(() => firstChoice(given, current));
  const [steps, setSteps] = useState<JudgedSteps>('all');
  const [endpointName, setEndpointName] = useState(endpoints[0]?.name ?? '');
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('');
  const [starting, setStarting] = useState(false);
  const endpoint = endpoints.find((each) => each.name === endpointName);
  const priced = endpoint !== undefined && endpoint.price !== null;
  const maxCost = priced ? numberIn(limit) : null;
  const runs = chosenRuns(scope, chosen, list, current);
  const typedName = useRested(name.trim());
  const asks = endpoint !== undefined && runs.length > 0 && runs.length <= MOST_RUNS;
  const request: Request | null = asks
    ? { runs, steps, endpoint: endpoint.name, ...(typedName === '' ? {} : { judge: typedName }) }
    : null;
  const found = useKept('judge.estimate', request);
  const estimate = found.answer?.value ?? null;
  const why = whyNot();

  /** Why it cannot start, in words; null: it can. An empty text: what is shown says it. */
  function whyNot(): string | null {
    if (onlyRead) return text.frame.onlyReadWhy;
    if (endpoint === undefined) return words.noEndpoint;
    if (runs.length === 0) return words.noRuns;
    if (runs.length > MOST_RUNS) return words.tooManyRuns(text.common.format.count(MOST_RUNS));
    if (maxCost === false) return '';
    if (found.failure !== null) return '';
    if (estimate === null || found.waiting || typedName !== name.trim()) return words.counting;
    if (estimate.steps === 0) return nothingLeft(estimate, steps, text);
    if (estimate.obstacle !== null) return text.frame.failure(estimate.obstacle);
    return null;
  }

  async function start(ready: Request): Promise<void> {
    setStarting(true);
    try {
      await call('judge.start', { ...ready, maxCost: maxCost === false ? null : maxCost });
      onClose();
      openTray(true);
      await loadBatches();
    } catch (thrown) {
      setStarting(false);
      toastFailure(thrown);
    }
  }

  if (endpoints.length === 0) {
    return (
      <Dialog title={words.title} closeLabel={text.common.close} width="small" onClose={onClose}>
        <Empty icon="key" title={text.newRun.noModelTitle} text={text.newRun.noModelText}>
          <Button look="primary" data-autofocus onClick={() => openDialog('settings')}>
            {text.newRun.openSettings}
          </Button>
        </Empty>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={words.title}
      closeLabel={text.common.cancel}
      onClose={onClose}
      foot={
        <DialogFoot
          label={starting ? words.starting : words.start}
          disabled={why !== null || starting}
          onDo={() => request !== null && start(request)}
          onCancel={onClose}
          note={
            <span className="judge-why text-12 quiet" role="status" data-testid="judge-why">
              {starting ? '' : (why ?? words.nothingSent)}
            </span>
          }
        />
      }
    >
      <p className="soft text-12 judge-lead">{words.lead}</p>
      <RunsLine scope={scope} chosen={chosen} onChoose={setChoice} />
      <FormLine label={words.steps} help={words.stepsHelp}>
        {({ id, describedBy }) => (
          <Select<JudgedSteps>
            id={id}
            aria-describedby={describedBy}
            value={steps}
            options={judgedSteps.map((value) => ({ value, label: words.stepsOf(value) }))}
            onChoose={setSteps}
          />
        )}
      </FormLine>
      <FormLine label={words.endpoint} help={endpoint?.baseUrl}>
        {({ id, describedBy }) => (
          <Select
            id={id}
            aria-describedby={describedBy}
            value={endpointName}
            options={endpoints.map((each) => ({ value: each.name, label: `${each.name} (${each.model})` }))}
            onChoose={setEndpointName}
          />
        )}
      </FormLine>
      <FormLine label={words.name} help={words.nameHelp}>
        {({ id, describedBy }) => (
          <TextField
            id={id}
            aria-describedby={describedBy}
            value={name}
            maxLength={MOST_NAME}
            placeholder={endpointName}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </FormLine>
      <FormLine
        label={words.limit}
        help={priced ? <LimitHelp limit={maxCost} estimate={estimate} /> : words.limitNeedsPrice}
        error={maxCost === false ? words.badLimit : null}
      >
        {({ id, describedBy, invalid }) => (
          <TextField
            id={id}
            className="judge-limit"
            inputMode="decimal"
            aria-describedby={describedBy}
            aria-invalid={invalid}
            disabled={!priced}
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        )}
      </FormLine>
      <EstimateBox found={found} isAsked={asks} />
    </Dialog>
  );
}

interface RunsLineProps {
  scope: JudgedScope;
  chosen: readonly string[];
  onChoose: (choice: { scope: JudgedScope; chosen: readonly string[] }) => void;
}

function RunsLine({ scope, chosen, onChoose }: RunsLineProps) {
  const text = useText();
  const words = text.judging;
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const open = list.find(({ id }) => id === current);
  return (
    <FormLine label={words.runs}>
      {({ id }) => (
        <div>
          <Select<JudgedScope>
            id={id}
            data-autofocus
            value={scope}
            options={[
              ...(open === undefined ? [] : [{ value: 'this' as const, label: words.thisRun(open.title) }]),
              { value: 'all', label: words.allRuns(text.common.format.count(list.length), list.length) },
              { value: 'some', label: words.someRuns(chosen.length) },
            ]}
            onChoose={(next) => {
              // Whoever begins to select had the open run in mind.
              const first = chosen.length === 0 && current !== null ? [current] : chosen;
              onChoose({ scope: next, chosen: next === 'some' ? first : chosen });
            }}
          />
          {scope === 'some' && (
            <fieldset className="judge-runs" aria-label={words.runs}>
              {list.map((run) => (
                <CheckLine
                  key={run.id}
                  checked={chosen.includes(run.id)}
                  label={run.title}
                  help={text.common.steps(run.steps)}
                  onChange={(on) =>
                    onChoose({
                      scope,
                      chosen: on ? [...chosen, run.id] : chosen.filter((other) => other !== run.id),
                    })
                  }
                />
              ))}
            </fieldset>
          )}
        </div>
      )}
    </FormLine>
  );
}

function LimitHelp({ limit, estimate }: { limit: number | null | false; estimate: Estimate | null }) {
  const text = useText();
  const words = text.judging;
  if (limit === null || limit === false || estimate?.cost == null || limit >= estimate.cost)
    return words.limitHelp;
  return <span className="tone-attention">{words.limitBelow(costWords(estimate.cost, text))}</span>;
}

/** What would be sent; the figures of the choice before stay, paler, until the new ones are there. */
function EstimateBox({ found, isAsked }: { found: Kept<'judge.estimate'>; isAsked: boolean }) {
  const text = useText();
  const words = text.judging;
  const { count, compact } = text.common.format;
  const { answer, failure, waiting } = found;
  const estimate = answer?.value ?? null;
  return (
    <section className="judge-estimate" aria-label={words.estimate} aria-busy={waiting}>
      {failure !== null && <FailureLine failure={failure} />}
      {isAsked && failure === null && estimate === null && <p className="quiet text-12">{words.counting}</p>}
      {estimate !== null && (
        <FactList
          facts={[
            [words.toJudge, count(estimate.steps)],
            [words.requests, count(estimate.requests)],
            [words.tokens, words.tokensOf(compact(estimate.inputTokens), compact(estimate.outputTokens))],
            [
              words.cost,
              estimate.cost === null
                ? words.costUnknown
                : estimate.cost === 0
                  ? costWords(0, text)
                  : words.costAbout(costWords(estimate.cost, text)),
            ],
          ]}
        />
      )}
    </section>
  );
}

function nothingLeft({ judge }: Estimate, steps: JudgedSteps, { judging }: Text): string {
  return steps === 'all' ? judging.nothingLeft(judge) : judging.nothingOf[steps](judge);
}

/** A text once it has not changed for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
