import type { CommandInput } from '@shared/contract/ipc';
import type { TaskRow } from '@shared/contract/ipc/application';
import type { PickedFolder } from '@shared/contract/ipc/runs';
import type { Endpoint } from '@shared/contract/settings';
import { useState } from 'react';
import { call, failureOf } from '../../api';
import { ActionDialog } from '../../components/ActionDialog';
import { CheckLine, FormLine, Select } from '../../components/Field';
import { useNow } from '../../components/useNow';
import { openRun } from '../../state/run/runs';
import { useText } from '../../text/language';
import { ApprovalChoices } from './ApprovalChoices';
import { ComputerTable } from './ComputerTable';
import { IsolationChoice } from './IsolationChoice';
import { LimitFields } from './LimitFields';
import { limitsOf, noLimits } from './limits';
import { noChoices, placesInput, sharedMachine, usable, worksHere } from './places';
import { noRecord, RecordFields, recordFields, recordOf } from './RecordFields';
import { RunChecks } from './RunChecks';
import { ShownFolders } from './ShownFolders';
import { TaskHintChoice, type TaskHintChosen } from './TaskHintChoice';

interface NewRunFormProps {
  tasks: TaskRow[];
  endpoints: Endpoint[];
  fill: React.ReactNode;
  onClose: () => void;
}

/** The form itself: what is seldom needed, for comparing runs, opens below a heading that says what is set. */
export function NewRunForm({ tasks, endpoints, fill, onClose }: NewRunFormProps) {
  const words = useText();
  const text = words.newRun;
  const [taskId, setTaskId] = useState(tasks.at(-1)?.id ?? '');
  const [endpointName, setEndpointName] = useState(endpoints[0]?.name ?? '');
  const [limitDraft, setLimitDraft] = useState(noLimits);
  const [folders, setFolders] = useState<readonly PickedFolder[]>([]);
  const [choices, setChoices] = useState(noChoices);
  const [isolation, setIsolation] = useState<'sandbox' | 'none'>('sandbox');
  const [humanHints, setHumanHints] = useState(true);
  const [taskHint, setTaskHint] = useState<TaskHintChosen>('task');
  const [record, setRecord] = useState(noRecord);
  const [starting, setStarting] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const task = tasks.find((each) => each.id === taskId);
  const endpoint = endpoints.find((each) => each.name === endpointName);
  const priced = endpoint !== undefined && endpoint.price !== null;
  const now = useNow(1000);
  const shared = task === undefined ? null : sharedMachine(task, choices);
  const limits = limitsOf(limitDraft, priced);
  const local = task !== undefined && worksHere(task, choices).length > 0;
  const recorded = recordOf(record);
  const wrong = limits === null || recorded === null || shared !== null;

  async function start(): Promise<void> {
    if (task === undefined || endpoint === undefined || limits === null || recorded === null) return;
    setStarting(true);
    setFailure(null);
    const input: CommandInput<'runs.start'> = {
      task: task.id,
      endpoint: endpoint.name,
      ...placesInput(task, choices),
      isolation,
      show: local && isolation === 'sandbox' ? folders.map(({ id }) => id) : [],
      humanHints,
      ...(taskHint === 'task' ? {} : { taskHint }),
      ...recorded,
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

  const comparing = [
    humanHints ? text.hintsOn : text.hintsOffShort,
    ...(taskHint === 'task' ? [] : [`${text.taskHint}: ${text.taskHintModes[taskHint]}`]),
    ...recordFields.flatMap((field) =>
      record[field].trim() === '' ? [] : [`${text.recordNames[field]} ${record[field].trim()}`],
    ),
  ];
  const blocked = task === undefined || endpoint === undefined || task.unsupported.length > 0 || wrong;
  return (
    <ActionDialog
      title={text.title}
      closeLabel={words.common.close}
      onClose={onClose}
      width="wide"
      label={starting ? text.starting : text.start}
      disabled={blocked || starting}
      onDo={() => void start()}
      note={
        failure !== null ? (
          <span className="form-error" role="alert">
            {failure}
          </span>
        ) : (
          <span className="quiet text-12">
            {task && task.unsupported.length > 0 ? text.blocked : text.ready}
          </span>
        )
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
                    setTaskHint('task');
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
          <LimitFields task={task} draft={limitDraft} onDraft={setLimitDraft} priced={priced} />
          {local && (
            <>
              <IsolationChoice
                internet={worksHere(task, choices).every(({ internet }) => internet)}
                isolation={isolation}
                onIsolation={setIsolation}
              />
              {isolation === 'sandbox' && <ShownFolders folders={folders} onFolders={setFolders} />}
            </>
          )}
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
          <details className="new-run-more">
            <summary>
              <span className="strong">{text.compare}</span>
              <span className="quiet cut">{comparing.join(' · ')}</span>
            </summary>
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
            {task !== undefined && task.taskHint !== 'none' && (
              <TaskHintChoice task={task.taskHint} chosen={taskHint} onChosen={setTaskHint} />
            )}
            <RecordFields record={record} onRecord={setRecord} />
          </details>
        </div>
        {endpoint !== undefined && task !== undefined && (
          <RunChecks task={task} endpoint={endpoint} choices={choices} now={now} />
        )}
      </div>
    </ActionDialog>
  );
}
