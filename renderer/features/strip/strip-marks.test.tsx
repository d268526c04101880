import type { RunSummary } from '@shared/contract/views';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { en } from '../../text/en';
import { StripHosts } from './StripHosts';

const run = {
  id: '01K00000000000000000000000',
  evaluatorIsolated: true,
  state: 'finished',
  computers: [{ name: 'local', kind: 'local', isolation: 'bubblewrap' }],
} as RunSummary;
const markup = (more: Partial<RunSummary>) =>
  renderToStaticMarkup(<StripHosts run={{ ...run, ...more }} now={0} />);

test('a run whose evaluations found protected files changed says so, with their names', () => {
  expect(markup({})).not.toContain('strip-evaluator');
  const shown = markup({ protectedChanged: { evaluations: 2, paths: ['task/a.py', 'task/b.py'] } });
  expect(shown).toContain(`>${en.runs.protectedChanged}<`);
  expect(shown).toMatch(/title="2 evaluations found [^"]*: task\/a\.py, task\/b\.py"/u);
});
