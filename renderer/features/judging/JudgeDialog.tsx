import type { JudgeEstimate } from '@shared/contract/judge-views';
import { type JudgedSteps, judgedSteps } from '@shared/judging/batch';
import { useState } from 'react';
import { call } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { FailureLine } from '../../components/FailureLine';
import { FormLine, Select } from '../../components/Field';
import { MissingDialog } from '../../components/MissingDialog';
import { Segmented } from '../../components/Tabs';
import { useRested } from '../../components/useRested';
import { useKept } from '../../state/answers';
import { useOwnFailure } from '../../state/own-failure';
import { useRuns } from '../../state/run/runs';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { useOnlyRead } from '../../state/workspace';
import type { Text } from '../../text/en';
import { useText } from '../../text/language';
import { openTray } from '../jobs/jobs';
import { loadBatches } from '../jobs/judge-batches';
import { EstimateBox } from './EstimateBox';
import { JudgesLine } from './JudgesLine';
import {
  firstForm,
  isPriced,
  type JudgeForm,
  type JudgeRequest,
  limitIn,
  requestOf,
  sameName,
} from './judge-form';
import { chosenRuns, costWords, firstChoice, useJudging } from './judging';
import { LimitField } from './LimitField';
import { RubricLines } from './RubricLines';
import { RunsLine } from './RunsLine';
import { openRubric } from './rubric';
import './judging.css';

/** As one request may name. */
const MOST_RUNS = 1_000;
/** The estimate follows what is typed once the person has stopped typing, ms. */
const TYPING_MS = 300;

/** Who is asked about which steps and by what, and what that takes; they are asked in the background, and the jobs show how far it is. */
export function JudgeDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const words = text.judging;
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const list = useRuns((state) => state.list);
  const current = useRuns((state) => state.current);
  const given = useJudging();
  const onlyRead = useOnlyRead();
  const [{ scope, chosen }, setChoice] = useState(() => firstChoice(given.runs, current));
  const [form, setForm] = useState<JudgeForm>(() => firstForm(endpoints, given.steps));
  const [starting, setStarting] = useState(false);
  const { failure, tell, clear } = useOwnFailure();
  const change = (part: Partial<JudgeForm>) => {
    clear();
    setForm((before) => ({ ...before, ...part }));
  };
  const runs = chosenRuns(scope, chosen, list, current);
  const rested = useRested(form, TYPING_MS, typedIn);
  const maxCost = limitIn(form, endpoints);
  const asks = runs.length > 0 && runs.length <= MOST_RUNS;
  const request = asks ? requestOf(rested, runs, endpoints) : null;
  const found = useKept('judge.estimate', request);
  const estimates = found.answer?.value.judges ?? null;
  const tasks = new Set(list.flatMap(({ id, task }) => (runs.includes(id) ? [task.id] : [])));
  const [task] = tasks;
  const why = whyNot();

  /** Why it cannot start, in words; null: it can. An empty text: what is shown says it. */
  function whyNot(): string | null {
    if (onlyRead) return text.frame.onlyReadWhy;
    if (runs.length === 0) return words.noRuns;
    if (runs.length > MOST_RUNS) return words.tooManyRuns(text.common.format.count(MOST_RUNS));
    if (sameName(form) !== null) return '';
    if (requestOf(form, runs, endpoints) === null) return noFileYet(form) ? words.noFile : '';
    if (maxCost === false || found.failure !== null) return '';
    if (estimates === null || found.waiting || rested !== form) return words.counting;
    const obstacle = estimates.find((each) => each.obstacle !== null)?.obstacle ?? null;
    if (estimates.every(({ steps }) => steps === 0)) return nothingLeft(estimates, form.steps, text);
    return obstacle === null ? null : text.frame.failure(obstacle);
  }

  async function start(ready: JudgeRequest): Promise<void> {
    setStarting(true);
    clear();
    try {
      await call('judge.start', { ...ready, maxCost: maxCost === false ? null : maxCost });
    } catch (thrown) {
      setStarting(false);
      tell(thrown);
      return;
    }
    onClose();
    openTray(true);
    attempt(loadBatches);
  }

  if (endpoints.length === 0) {
    return (
      <MissingDialog
        title={words.title}
        icon="key"
        missing={text.newRun.noModelTitle}
        why={text.newRun.noModelText}
        action={text.newRun.openSettings}
        onAct={() => openDialog('settings')}
        onClose={onClose}
      />
    );
  }
  return (
    <ActionDialog
      title={words.title}
      onClose={onClose}
      label={starting ? words.starting : words.start}
      disabled={why !== null || starting}
      onDo={() => request !== null && start(request)}
      note={
        <span className="judge-why text-12 quiet" role="status" data-testid="judge-why">
          {starting ? '' : (why ?? words.nothingSent)}
        </span>
      }
    >
      <p className="soft text-12 judge-lead">{form.mode === 'mask' ? words.lead : words.leadRewards}</p>
      <div className="form-line">
        <span className="form-label">{words.asks}</span>
        <Segmented
          label={words.asks}
          items={(['mask', 'reward'] as const).map((id) => ({ id, label: words.asksOf[id] }))}
          chosen={form.mode}
          onChoose={(mode) => change({ mode })}
        />
      </div>
      <RunsLine scope={scope} chosen={chosen} onChoose={setChoice} />
      <FormLine label={words.steps} help={form.steps === 'changed' ? words.changedHelp : words.stepsHelp}>
        {({ id, describedBy }) => (
          <Select<JudgedSteps>
            id={id}
            aria-describedby={describedBy}
            value={form.steps}
            options={judgedSteps.map((value) => ({ value, label: words.stepsOf(value) }))}
            onChoose={(steps) => change({ steps })}
          />
        )}
      </FormLine>
      <JudgesLine form={form} endpoints={endpoints} onChange={change} />
      <RubricLines
        form={form}
        versions={versionsOf(found.waiting || rested !== form ? null : estimates)}
        onChange={change}
        onEdit={tasks.size === 1 && task !== undefined ? () => openRubric(task, runs[0]) : null}
      />
      <LimitLine form={form} estimates={estimates} onChange={change} />
      <EstimateBox found={found} isAsked={request !== null} />
      {failure !== null && <FailureLine failure={failure} />}
    </ActionDialog>
  );
}

interface LimitLineProps {
  form: JudgeForm;
  estimates: readonly JudgeEstimate[] | null;
  onChange: (change: Partial<JudgeForm>) => void;
}

function LimitLine({ form, estimates, onChange }: LimitLineProps) {
  const text = useText();
  const words = text.judging;
  const endpoints = useSettings((state) => state.settings?.endpoints) ?? [];
  const priced = isPriced(form.judges, endpoints);
  const limit = limitIn(form, endpoints);
  const most = Math.max(0, ...(estimates ?? []).map(({ cost }) => cost ?? 0));
  const isBelow = typeof limit === 'number' && limit < most;
  return (
    <LimitField
      judges={form.judges.length}
      value={form.limit}
      priced={priced}
      isBad={limit === false}
      help={
        isBelow ? (
          <span className="tone-attention">{words.limitBelow(costWords(most, text))}</span>
        ) : (
          words.limitHelp
        )
      }
      onChange={(value) => onChange({ limit: value })}
    />
  );
}

/** What a change of which waits until the person has stopped typing. */
const typedIn = ({ judges, votes, temperature }: JudgeForm) =>
  JSON.stringify([judges.map(({ key, name }) => [key, name]), votes, temperature]);

function noFileYet({ mode, maskRubric, rewardRubric, file }: JudgeForm): boolean {
  return (mode === 'mask' ? maskRubric : rewardRubric) === 'file' && file === null;
}

function versionsOf(estimates: readonly JudgeEstimate[] | null): string[] {
  return [...new Set((estimates ?? []).flatMap(({ rubrics }) => rubrics))];
}

function nothingLeft(estimates: readonly JudgeEstimate[], steps: JudgedSteps, { judging }: Text): string {
  const [only, another] = estimates;
  if (only === undefined || another !== undefined) return judging.nothingForAny;
  return steps === 'all' ? judging.nothingLeft(only.judge) : judging.nothingOf[steps](only.judge);
}
