import type { ModelTest, TaskRow } from '@shared/contract/ipc/application';
import type { Endpoint } from '@shared/contract/settings';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';
import { Button } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { openComputers, useComputers } from '../../state/computers';
import { healthWords } from '../../text/health-words';
import { useText } from '../../text/language';
import { type Choices, hostFor, sharesEvaluator } from './places';

export interface RunChecksProps {
  task: TaskRow;
  endpoint: Endpoint;
  choices: Choices;
  /** Our clock, ms since 1970. */
  now: number;
}

/** What is known before the first step: whether the task can run here, and whether the model answers. */
export function RunChecks({ task, endpoint, choices, now }: RunChecksProps) {
  const text = useText().newRun;
  const hosts = [...new Set(task.computers.map((computer) => hostFor(computer, choices)))].filter(
    (host) => host !== 'local',
  );
  return (
    <aside className="run-checks" aria-label={text.checks}>
      <h3>{text.checks}</h3>
      <ul>
        {task.unsupported.length === 0 ? (
          <Check
            ok
            title={hosts.length === 0 ? text.taskFits : text.taskFitsHosts}
            detail={text.taskFitsDetail(task.tools.length)}
          />
        ) : (
          task.unsupported.map((problem) => (
            <Check key={problem} ok={false} title={text.taskDoesNotFit} detail={problem} />
          ))
        )}
        {task.warnings.map((warning) => (
          <Check key={JSON.stringify(warning)} ok={false} {...text.taskWarning(warning)} />
        ))}
        {hosts.map((host) => (
          <HostCheck key={host} alias={host} now={now} />
        ))}
        {sharesEvaluator(task, choices) && (
          <Check ok={null} title={text.evaluator} detail={text.evaluatorDetail} />
        )}
        <ModelCheck endpoint={endpoint} />
      </ul>
      <p className="run-checks-summary text-12 quiet">{task.summary}</p>
    </aside>
  );
}

/** What is known of a host: its link now, or its last test; it is connected when the run starts. */
function HostCheck({ alias, now }: { alias: string; now: number }) {
  const words = useText();
  const text = words.newRun;
  const report = useComputers((state) => state.rows.find((row) => row.alias === alias)?.report ?? null);
  const health = useComputers((state) => state.health[alias]);
  const linked = health !== undefined && health.state !== 'idle';
  const good = linked ? health.state === 'good' || health.state === 'degraded' : (report?.ok ?? null);
  const state = linked
    ? `${alias}: ${healthWords(health, words, now).word}`
    : report === null
      ? text.hostNotTested(alias)
      : report.ok
        ? text.hostPassed(alias)
        : text.hostFailed(alias);
  const detail = linked
    ? health.message
    : report === null
      ? text.hostNotTestedDetail
      : text.hostTestedAt(words.common.format.when(report.at, now));
  return (
    <Check ok={linked && health.state === 'connecting' ? null : good} title={state} detail={detail}>
      {good !== true && (
        <Button small onClick={() => openComputers(alias)}>
          {text.lookAtHost}
        </Button>
      )}
    </Check>
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
    call('model.test', { endpoint: endpoint.name })
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
