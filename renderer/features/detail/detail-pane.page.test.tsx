import type { ObservationView, SessionView, StepDetail, StepHead } from '@shared/contract/views';
import type { StepEvidence } from '@shared/labels/evidence';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { loadDetail, useDetails } from '../../state/run/detail';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { stepHead } from '../../state/run/step-fixtures';
import { moveCursor, openTimeline, useTimeline } from '../../state/run/timeline';
import { useView } from '../../state/view';
import { useBranches } from '../branches/branches';
import { useSessions } from '../terminals/sessions';
import { useShown } from '../terminals/sessions-shown';
import { DetailPane } from './DetailPane';

// Code that is loaded before it is asked for: nothing here waits for it.
vi.stubGlobal('requestIdleCallback', () => 0);
vi.stubGlobal('cancelIdleCallback', () => undefined);

const observation = (change: Partial<ObservationView> = {}): ObservationView => ({
  call: 0,
  callId: 'c1',
  name: 'run_command',
  args: { command: 'make' },
  rawArguments: '{"command":"make"}',
  invalid: null,
  ok: true,
  error: null,
  text: 'built',
  data: {},
  durationMs: 2000,
  closedBy: null,
  images: [],
  guards: [],
  ...change,
});
const detail = (
  step: number,
  change: Partial<StepDetail> = {},
  head: Partial<StepHead> = {},
): StepDetail => ({
  head: stepHead(step, { run: 'run', ...head }),
  text: '',
  reasoning: '',
  usage: null,
  cost: null,
  durationMs: 1000,
  model: 'm',
  observations: [observation()],
  shortened: [],
  taught: null,
  hintText: null,
  files: [],
  labels: {
    effective: { value: null, source: null, reason: null, disagreement: false },
    why: { code: 'no_label', params: {} },
    humans: [],
    rules: [],
    judges: [],
    corrections: [],
    comments: [],
    assigned: [],
    history: [],
    withheld: false,
  },
  scoreThen: null,
  offsets: {},
  imported: null,
  ...change,
});
const evidence: StepEvidence = {
  run: 'run',
  step: 4,
  files: [
    { computer: 'local', path: 'src/a.py', sight: 'never', lookedAt: null, changedBy: [2], changes: 1 },
  ],
  moreFiles: 2,
  since: 1,
  score: { last: 60, best: 80 },
  gpus: [],
  workingMs: 60_000,
  next: { step: 5, tool: 'run_command', ok: true, exitCode: 2, errorCode: null },
};

/** The pane beside a run of six steps, with the cursor on one of which `known` is told. */
async function open(known: StepDetail, more: Parameters<typeof show>[1] = {}) {
  const bridge = show(<DetailPane review={false} />, {
    'timeline.heads': ({ from, to }: { from: number; to: number }) =>
      Array.from({ length: to - from + 1 }, (_, at) =>
        stepHead(from + at, { run: 'run', title: 'make all' }),
      ),
    'timeline.tiles': () => [],
    'datasets.forStep': () => [],
    'step.evidence': () => evidence,
    'step.detail': () => known,
    ...more,
  });
  act(() => {
    openTimeline('run', 9, 6);
    moveCursor(known.head.step);
    loadDetail('run', known.head.step);
  });
  await waitFor(() => expect(bridge.calls.some(([name]) => name === 'step.detail')).toBe(true));
  return bridge;
}
const section = async (name: string) => within(await screen.findByRole('region', { name }));

beforeEach(() => {
  useTimeline.setState({ run: null, cursor: 0, steps: 0 });
  useDetails.setState({ details: new Map() });
  useRuns.setState({ list: [runSummary('run')], current: 'run' });
  useView.setState({ tab: 'step', mode: 'watch', expanded: false });
  useBranches.setState({ dialog: null });
  useSessions.setState({ run: 'run', list: [] });
  useShown.setState({ chosen: null, moment: null });
});

test('without a step it says what would be here, and offers nothing of a step', () => {
  show(<DetailPane review={false} />);
  expect(screen.getByText('No step selected')).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'Step' }).getAttribute('aria-selected')).toBe('true');
  expect(screen.queryByRole('button')).toBeNull();
});

test('a step is told in its order: what was thought, done, refused, seen and scored', async () => {
  const unavailable = {
    kind: 'score',
    score: null,
    attempt: null,
    forced: false,
    message: 'The evaluator is away.',
  } as const;
  await open(
    detail(
      4,
      {
        text: 'I build it first.',
        observations: [
          observation({
            ok: false,
            error: { code: 'timed_out', message: 'It took over 10 minutes.' },
            guards: [{ rule: 'no_rm', level: 'refuse', message: 'Nothing was deleted.' }],
            closedBy: 'interrupted',
          }),
          observation({ callId: 'c2', name: 'wait', args: {}, ok: null, text: '', durationMs: null }),
        ],
        taught: Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'),
      },
      { after: [unavailable, unavailable] },
    ),
  );
  expect((await section('Thought')).getByText('I build it first.')).toBeTruthy();
  expect(screen.getByRole('region', { name: 'Action 1 of 2' }).textContent).toMatch(
    /make.*refused: Nothing was deleted\. no_rm/,
  );
  const [seen, notSeen] = screen.getAllByRole('region', { name: 'Observation' });
  expect(seen?.textContent).toMatch(/2 s, interrupted.*It took over 10 minutes\. timed_out.*built/);
  expect(notSeen?.textContent).toContain('Not observed yet');
  const scores = await section('Evaluation');
  expect(scores.getAllByText('Evaluation was not run')).toHaveLength(2);
  const taught = await section('Taught');
  expect(taught.queryByText(/line 19/)).toBeNull();
  fireEvent.click(taught.getByRole('button', { name: /^Show all/ }));
  expect(taught.getByText(/line 19/)).toBeTruthy();
  fireEvent.click(taught.getByRole('button', { name: 'Show less' }));
  expect(taught.queryByText(/line 19/)).toBeNull();
});

test('the facts around it lead to the steps they rest on', async () => {
  await open(detail(4));
  const facts = await section('Evidence');
  expect(await facts.findByText('Never viewed')).toBeTruthy();
  expect(screen.getByTestId('evidence').textContent).toMatch(/1 more file.*exit 2.*60, best 80.*1 min/);
  fireEvent.click(facts.getByRole('button', { name: 'Go to step 2' }));
  expect(useTimeline.getState().cursor).toBe(2);
});

test('a step that cannot be read says why, and still shows what its row says', async () => {
  await open(detail(4), {
    'step.detail': () => {
      throw { code: 'workspace_corrupt', message: 'The event of step 4 is damaged.' };
    },
  });
  expect(await screen.findByText('The event of step 4 is damaged.')).toBeTruthy();
  expect((await section('Action')).getByText('run_command make all')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Observation' })).toBeNull();
});

test('arrow keys go through the views of the step; what only Review shows is not offered in Watch', async () => {
  useView.setState({ tab: 'terminals' });
  await open(detail(4), { 'queries.list': () => [] });
  expect(screen.getByRole('tab', { selected: true }).id).toBe('detail-step');
  const tabs = screen.getByRole('tablist', { name: 'Views of this step' });
  const names = within(tabs)
    .getAllByRole('tab')
    .map((tab) => tab.id);
  expect(names).toEqual(['detail-step', 'detail-prompt', 'detail-files', 'detail-queries']);
  fireEvent.keyDown(tabs, { key: 'ArrowLeft' });
  expect(document.activeElement?.id).toBe('detail-queries');
  expect(await screen.findByText('No search yet')).toBeTruthy();
  expect(screen.getByRole('tabpanel').getAttribute('aria-labelledby')).toBe('detail-queries');
  fireEvent.click(screen.getByRole('button', { name: 'Branch from here' }));
  expect(useBranches.getState().dialog).toEqual({ name: 'branch', run: 'run', step: 4 });
  fireEvent.click(screen.getByRole('button', { name: /^Review from here/ }));
  expect(useView.getState().mode).toBe('review');
});

test('a terminal is shown as it was then: the newest of that name that had printed so much; one no longer stored says so', async () => {
  const session = { computer: 'local', session: 'main' };
  let stored: Partial<SessionView>[] = [{ ...session, uid: 'short', endOffset: 100 }];
  const bridge = await open(detail(4, { offsets: { 'local:main': 2048 } }), {
    'sessions.list': () => stored,
  });
  const terminal = (await section('Terminals')).getByRole('button', { name: 'local:main up to 2 kB' });
  fireEvent.click(terminal);
  expect(await screen.findByText('The session local:main is no longer stored.')).toBeTruthy();
  expect(useShown.getState().chosen).toBeNull();
  stored = [
    { ...session, uid: 'first', endOffset: 5000 },
    { ...session, uid: 'then', endOffset: 2048 },
    ...stored,
  ];
  fireEvent.click(terminal);
  await waitFor(() => expect(useShown.getState().moment).toEqual({ uid: 'then', until: 2048 }));
  expect(bridge.calls).toContainEqual(['sessions.list', { run: 'run' }]);
});
