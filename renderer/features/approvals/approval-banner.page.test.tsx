import { fireEvent, screen, waitFor, waitForElementToBeRemoved, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { AllowedKindsDialog } from './AllowedKindsDialog';
import { ApprovalBanner } from './ApprovalBanner';
import { type Approval, useApprovals } from './approvals';

const asks = (run: string, change: Partial<Approval> = {}): Approval => ({
  run,
  approval: `of-${run}`,
  step: 4,
  what: 'rm -r build',
  why: 'It deletes files.',
  ...change,
});
const banner = () => within(screen.getByRole('alert'));

beforeEach(() => {
  useApprovals.setState({ open: [] });
  useRuns.setState({ list: [runSummary('one'), runSummary('two')], current: 'one' });
  useTimeline.setState({ run: 'one', steps: 9, cursor: 9 });
});

test('the open run asks first: what, why, how many more; Deny sends the answer and the next one asks', async () => {
  useApprovals.setState({ open: [asks('two'), asks('one', { step: 5, what: 'kill 7' })] });
  const bridge = show(<ApprovalBanner />, { 'runs.decideApproval': () => undefined });
  expect(banner().getByText('Step 5 asks for your approval.')).toBeTruthy();
  expect(banner().getByText('1 more')).toBeTruthy();
  expect(banner().queryByRole('button', { name: 'Allow in this run' })).toBeNull();
  fireEvent.click(banner().getByRole('button', { name: 'kill 7' }));
  await waitFor(() => expect(useTimeline.getState().cursor).toBe(5));
  fireEvent.click(banner().getByRole('button', { name: 'Deny' }));
  expect(await screen.findByText('In two: Step 4 asks for your approval.')).toBeTruthy();
  expect(bridge.calls).toEqual([
    ['runs.decideApproval', { run: 'one', approval: 'of-one', decision: 'deny', forRun: false }],
  ]);
});

test('what another run wants to do leads to that run', async () => {
  useApprovals.setState({ open: [asks('two')] });
  show(<ApprovalBanner />);
  fireEvent.click(banner().getByRole('button', { name: 'rm -r build' }));
  await waitFor(() => expect(useRuns.getState().current).toBe('two'));
});

test('a kind is allowed for the run, and the toast takes it back', async () => {
  useApprovals.setState({ open: [asks('one', { kinds: ['rm below build', 'make'] })] });
  const bridge = show(<ApprovalBanner />, {
    'runs.decideApproval': () => undefined,
    'runs.withdrawKind': () => undefined,
  });
  const kind = banner().getByRole('button', { name: 'Allow in this run' });
  expect(kind.title).toContain('rm below build; make');
  fireEvent.click(kind);
  fireEvent.click(await screen.findByRole('button', { name: 'Ask again' }));
  expect(screen.queryByRole('alert')).toBeNull();
  await waitFor(() =>
    expect(bridge.calls).toEqual([
      ['runs.decideApproval', { run: 'one', approval: 'of-one', decision: 'allow', forRun: true }],
      ['runs.withdrawKind', { run: 'one', kind: 'rm below build' }],
      ['runs.withdrawKind', { run: 'one', kind: 'make' }],
    ]),
  );
});

test('where somebody answered first it says so and asks no more', async () => {
  useApprovals.setState({ open: [asks('one')] });
  show(<ApprovalBanner />, {
    'runs.decideApproval': () => {
      throw { code: 'conflict', message: 'Ann has already denied it.' };
    },
    'runs.openApprovals': () => [],
  });
  fireEvent.click(banner().getByRole('button', { name: 'Allow' }));
  expect(await screen.findByText('Ann has already denied it.')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('what was allowed in a run is listed until it asks again', async () => {
  let kinds = ['git status'];
  const bridge = show(<AllowedKindsDialog run="one" onClose={() => undefined} />, {
    'runs.allowedKinds': () => kinds,
    'runs.withdrawKind': () => {
      kinds = [];
    },
  });
  const line = await screen.findByText('git status');
  expect(screen.queryByText(/Only read-only commands/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Ask again' }));
  await waitForElementToBeRemoved(line);
  expect(screen.getByText(/Only read-only commands/)).toBeTruthy();
  expect(bridge.calls[1]).toEqual(['runs.withdrawKind', { run: 'one', kind: 'git status' }]);
});

test('a list that cannot be read is not said to be empty', async () => {
  show(<AllowedKindsDialog run="one" onClose={() => undefined} />, {
    'runs.allowedKinds': () => {
      throw { code: 'not_found', message: 'The run is gone.' };
    },
  });
  expect(screen.queryByText(/These kinds of commands/)).toBeNull();
  expect(await screen.findByText('The run is gone.')).toBeTruthy();
  expect(screen.queryByText(/Only read-only commands/)).toBeNull();
  expect(screen.queryByText(/These kinds of commands/)).toBeNull();
});
