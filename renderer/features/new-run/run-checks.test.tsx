import type { TaskRow } from '@shared/contract/ipc/application';
import type { TaskWarning } from '@shared/contract/task';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { en } from '../../text/en';
import { RunChecks } from './RunChecks';

const markup = (warnings: TaskWarning[]) => {
  const task = { computers: [], unsupported: [], tools: [], summary: '', warnings } as unknown as TaskRow;
  const props = { task, endpoint: { baseUrl: '' }, choices: { places: {} }, now: 0 };
  return renderToStaticMarkup(<RunChecks {...(props as unknown as Parameters<typeof RunChecks>[0])} />);
};

test('a task whose evaluator seems to run the agent’s files says so where it is chosen', () => {
  const warning = { kind: 'runs_agent_files', file: 'evaluation/evaluate.sh' } as const;
  expect(markup([])).not.toContain(en.newRun.taskWarning(warning).title);
  expect(markup([warning])).toContain(en.newRun.taskWarning(warning).title);
  expect(markup([warning])).toContain('evaluation/evaluate.sh seems to run or load');
  const points = { kind: 'success_unreachable', successAt: 80, maxScore: 60 } as const;
  expect(markup([points])).toContain('evaluation.success_at is 80 and evaluation.max_score 60');
});
