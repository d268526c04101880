import type { CommandInput } from '@shared/ipc';
import type { TaskRow } from '@shared/ipc/application';
import type { Endpoint } from '@shared/settings';
import { useState } from 'react';
import { call, failureOf } from '../../api';
import { Button } from '../../components/Button';
import { Dialog } from '../../components/Dialog';
import { Empty } from '../../components/Empty';
import { CheckLine, FormLine, Select, TextField } from '../../components/Field';
import { useNow } from '../../components/useNow';
import { useAnswer } from '../../state/answer';
import { openRun } from '../../state/runs';
import { useSettings } from '../../state/settings';
import { attempt } from '../../state/toasts';
import { openDialog } from '../../state/view';
import { useText } from '../../text/language';
import { ApprovalChoices } from './ApprovalChoices';
import { CatalogueList } from './CatalogueList';
import { ComputerTable } from './ComputerTable';
import './new-run.css';
import { limitsOf, numberIn } from './limits';
import { noChoices, placesInput, sharedMachine, usable } from './places';
import { RunChecks } from './RunChecks';

export interface NewRunDialogProps {
  onClose: () => void;
}

/** Task, model, computer, limits and approvals of a new run; nothing starts before the checks are read. */
export function NewRunDialog({ onClose }: NewRunDialogProps) {
  const words = useText();
  const text = words.newRun;
  const endpoints = useSettings((state) => state.settings?.endpoints ?? []);
  const [added, setAdded] = useState(0);
  const tasks = useAnswer(String(added), () => call('tasks.list'));
  const [catalogue, setCatalogue] = useState(false);

  if (catalogue) return <CatalogueList onClose={() => setCatalogue(false)} />;
  const addTask = () =>
    attempt(async () => {
      if ((await call('tasks.add')) !== null) setAdded((count) => count + 1);
    });
  const runDemo = () =>
    attempt(async () => {
      const { run } = await call('demo.start');
      await openRun(run);
      onClose();
    });
  const fill = (
    <>
      <Button icon="plus" onClick={addTask}>
        {text.addTask}
      </Button>
      <Button icon="book" onClick={() => setCatalogue(true)}>
        {text.fromCatalogue}
      </Button>
      <Button icon="play" onClick={runDemo}>
        {words.firstUse.demo}
      </Button>
    </>
  );
  if (tasks === null || tasks.length === 0 || endpoints.length === 0) {
    return (
      <Dialog title={text.title} closeLabel={words.common.close} onClose={onClose}>
        {tasks !== null && tasks.length === 0 && (
          <Empty icon="folder" title={text.noTaskTitle} text={text.noTaskText}>
            {fill}
          </Empty>
        )}
        {tasks !== null && tasks.length > 0 && (
          <Empty icon="key" title={text.noModelTitle} text={text.noModelText}>
            <Button look="primary" onClick={() => openDialog('settings')}>
              {text.openSettings}
            </Button>
            <Button icon="play" onClick={runDemo}>
              {words.firstUse.demo}
            </Button>
          </Empty>
        )}
      </Dialog>
    );
  }
  return <NewRunForm tasks={tasks} endpoints={endpoints} fill={fill} onClose={onClose} />;
}

interface NewRunFormProps {
  tasks: TaskRow[];
  endpoints: Endpoint[];
  fill: React.ReactNode;
  onClose: () => void;
}

function NewRunForm({ tasks, endpoints, fill, onClose }: NewRunFormProps) {
  const words = useText();
  const text = words.newRun;
  const [taskId, setTaskId] = useState(tasks.at(-1)?.id ?? '');
  const [endpointName, setEndpointName] = useState(endpoints[0]?.name ?? '');
  const [steps, setSteps] = useState('');
  const [hours, setHours] = useState('');
  const [tokens, setTokens] = useState('');
  const [money, setMoney] = useState('');
  const [choices, setChoices] = useState(noChoices);
  const [humanHints, setHumanHints] = useState(true);
  const [experiment, setExperiment] = useState('');
  const [starting, setStarting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const task = tasks.find((each) => each.id === taskId);
  const endpoint = endpoints.find((each) => each.name === endpointName);
  const maxSteps = numberIn(steps);
  const maxHours = numberIn(hours);
  const maxTokens = numberIn(tokens);
  const priced = endpoint !== undefined && endpoint.price !== null;
  const maxCost = priced ? numberIn(money) : null;
  const now = useNow(1000);
  const shared = task === undefined ? null : sharedMachine(task, choices);
  const limits = limitsOf({ maxSteps, maxHours, maxTokens, maxCost });
  const wrong = limits === null || shared !== null;

  async function start(): Promise<void> {
    if (task === undefined || endpoint === undefined || limits === null) return;
    setStarting(true);
    setFailure(null);
    const input: CommandInput<'runs.start'> = {
      task: task.id,
      endpoint: endpoint.name,
      ...placesInput(task, choices),
      humanHints,
      experiment: experiment.trim() === '' ? null : experiment.trim(),
      ...limits,
    };
    try {
      const { run } = await call('runs.start', input);
      await openRun(run);
      onClose();
    } catch (thrown) {
      setFailure(failureOf(thrown).message);
      setStarting(false);
    }
  }

  const blocked = task === undefined || endpoint === undefined || task.unsupported.length > 0 || wrong;
  return (
    <Dialog
      title={text.title}
      closeLabel={words.common.close}
      onClose={onClose}
      width="wide"
      foot={
        <>
          {failure !== null ? (
            <span className="form-error" role="alert">
              {failure}
            </span>
          ) : (
            <span className="quiet text-12">
              {task && task.unsupported.length > 0 ? text.blocked : text.ready}
            </span>
          )}
          <span className="space" />
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="primary" disabled={blocked || starting} onClick={() => void start()}>
            {starting ? text.starting : text.start}
          </Button>
        </>
      }
    >
      <div className="new-run">
        <div className="new-run-form">
          <FormLine label={text.task}>
            {({ id }) => (
              <div className="row">
                <Select
                  id={id}
                  value={taskId}
                  options={tasks.map((each) => ({ value: each.id, label: each.title }))}
                  onChoose={(id) => {
                    setTaskId(id);
                    setChoices(noChoices);
                  }}
                />
              </div>
            )}
          </FormLine>
          <div className="new-run-fill">{fill}</div>
          <FormLine label={text.model} help={endpoint?.baseUrl}>
            {({ id, describedBy }) => (
              <Select
                id={id}
                aria-describedby={describedBy}
                value={endpointName}
                options={endpoints.map((each) => ({
                  value: each.name,
                  label: `${each.name} (${each.model})`,
                }))}
                onChoose={setEndpointName}
              />
            )}
          </FormLine>
          <div className="form-line">
            <span className="form-label">{text.computers}</span>
            <ComputerTable
              computers={task?.computers ?? []}
              choices={choices}
              onHost={(name, host) => setChoices({ ...choices, hosts: { ...choices.hosts, [name]: host } })}
              now={now}
            />
            {shared === null ? (
              <div className="form-help">{text.computersHelp}</div>
            ) : (
              <div className="form-error" role="alert">
                {text.sameMachine(shared.host === 'local' ? text.here : shared.host, ...shared.names)}
              </div>
            )}
          </div>
          <FormLine
            label={text.maxSteps}
            help={task && text.taskSays(words.common.format.count(task.limits.maxSteps))}
            error={maxSteps === false ? text.notANumber : null}
          >
            {({ id, invalid }) => (
              <TextField
                id={id}
                inputMode="numeric"
                aria-invalid={invalid}
                value={steps}
                onChange={(e) => setSteps(e.target.value)}
              />
            )}
          </FormLine>
          <FormLine
            label={text.maxHours}
            help={task && text.taskSays(words.common.format.duration(task.limits.maxWorkingMs))}
            error={maxHours === false ? text.notANumber : null}
          >
            {({ id, invalid }) => (
              <TextField
                id={id}
                inputMode="decimal"
                aria-invalid={invalid}
                value={hours}
                onChange={(e) => setHours(e.target.value)}
              />
            )}
          </FormLine>
          <FormLine
            label={text.maxTokens}
            help={text.maxTokensHelp}
            error={maxTokens === false ? text.notANumber : null}
          >
            {({ id, describedBy, invalid }) => (
              <TextField
                id={id}
                inputMode="numeric"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                value={tokens}
                onChange={(e) => setTokens(e.target.value)}
              />
            )}
          </FormLine>
          <FormLine
            label={text.maxCost}
            help={priced ? text.maxCostHelp : text.maxCostNeedsPrice}
            error={maxCost === false ? text.notANumber : null}
          >
            {({ id, describedBy, invalid }) => (
              <TextField
                id={id}
                inputMode="decimal"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                disabled={!priced}
                value={priced ? money : ''}
                onChange={(e) => setMoney(e.target.value)}
              />
            )}
          </FormLine>
          <div className="form-line">
            <span className="form-label">{text.approvals}</span>
            <ApprovalChoices
              computers={task === undefined ? [] : usable(task)}
              choices={choices}
              onApprovals={(name, approvals) =>
                setChoices({ ...choices, approvals: { ...choices.approvals, [name]: approvals } })
              }
            />
          </div>
          <FormLine label={text.hints}>
            {() => (
              <CheckLine
                checked={humanHints}
                onChange={setHumanHints}
                label={text.hintsOn}
                help={text.hintsHelp}
              />
            )}
          </FormLine>
          <FormLine label={text.recordAs} help={text.recordHelp}>
            {({ id }) => (
              <TextField
                id={id}
                maxLength={80}
                value={experiment}
                onChange={(event) => setExperiment(event.target.value)}
              />
            )}
          </FormLine>
        </div>
        {endpoint !== undefined && task !== undefined && (
          <RunChecks task={task} endpoint={endpoint} choices={choices} now={now} />
        )}
      </div>
    </Dialog>
  );
}
