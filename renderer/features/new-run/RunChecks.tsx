import type { ModelTest, TaskRow } from '@shared/ipc';
import type { Endpoint } from '@shared/settings';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useText } from '../../text/language';

export interface RunChecksProps {
  task: TaskRow;
  endpoint: Endpoint;
}

/** What is known before the first step: whether the task can run here, and whether the model answers. */
export function RunChecks({ task, endpoint }: RunChecksProps) {
  const text = useText().newRun;
  return (
    <aside className="run-checks" aria-label={text.checks}>
      <h3>{text.checks}</h3>
      <ul>
        {task.unsupported.length === 0 ? (
          <Check ok title={text.taskFits} detail={text.taskFitsDetail(task.tools.length)} />
        ) : (
          task.unsupported.map((problem) => (
            <Check key={problem} ok={false} title={text.taskDoesNotFit} detail={problem} />
          ))
        )}
        <Check ok={null} title={text.evaluator} detail={text.evaluatorDetail} />
        <ModelCheck endpoint={endpoint} />
      </ul>
      <p className="run-checks-summary text-12 quiet">{task.summary}</p>
    </aside>
  );
}

function ModelCheck({ endpoint }: { endpoint: Endpoint }) {
  const text = useText().newRun;
  const { test, testing, run } = useModelTest(endpoint);
  return (
    <Check
      ok={test === null ? null : test.ok}
      title={
        testing
          ? text.testing
          : test === null
            ? text.notTested
            : test.ok
              ? text.modelAnswers
              : text.modelFails
      }
      detail={test === null ? endpoint.baseUrl : modelDetail(text, test)}
    >
      <Button small disabled={testing} onClick={run}>
        {text.test}
      </Button>
    </Check>
  );
}

function modelDetail(text: ReturnType<typeof useText>['newRun'], test: ModelTest): string {
  if (!test.ok || test.firstTokenMs === null) return test.message;
  return test.toolCalls ? text.firstToken(test.firstTokenMs) : text.noToolCalls(test.firstTokenMs);
}

/** Asks the endpoint once per press; another endpoint forgets the answer. */
export function useModelTest(endpoint: Endpoint): {
  test: ModelTest | null;
  testing: boolean;
  run: () => void;
} {
  const [test, setTest] = useState<ModelTest | null>(null);
  const [testing, setTesting] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another endpoint is another question
  useEffect(() => setTest(null), [endpoint]);
  function run(): void {
    setTesting(true);
    call('model.test', endpoint)
      .catch((thrown: unknown) => ({
        ok: false,
        firstTokenMs: null,
        toolCalls: false,
        message: failureOf(thrown).message,
      }))
      .then((answer) => {
        setTest(answer);
        setTesting(false);
      });
  }
  return { test, testing, run };
}

interface CheckProps {
  /** null = a remark. */
  ok: boolean | null;
  title: string;
  detail: string;
  children?: React.ReactNode;
}

function Check({ ok, title, detail, children }: CheckProps) {
  const icon = ok === null ? 'question' : ok ? 'check' : 'warning';
  return (
    <li className="run-check">
      <span className={ok === false ? 'tone-attention' : 'quiet'}>
        <Icon name={icon} />
      </span>
      <div>
        <b className={ok === false ? 'tone-attention' : ''}>{title}</b>
        <p className="text-12 quiet">{detail}</p>
        {children}
      </div>
    </li>
  );
}
