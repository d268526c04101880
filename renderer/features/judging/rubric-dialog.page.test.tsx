import type { CommandInput } from '@shared/contract/ipc';
import type { JudgeBatchView } from '@shared/contract/judge-views';
import type { RubricView } from '@shared/contract/rubric-views';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import type { RubricTrial } from '@shared/judging/rubric-trial';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { loadBatches, useBatches } from '../jobs/judge-batches';
import { useJudging } from './judging';
import { RubricDialog } from './RubricDialog';
import { openRubric, useRubric } from './rubric';

const price = { input: 3, cached: 1, output: 15 };
const endpoints = [
  endpointSchema.parse({ name: 'strict', baseUrl: 'http://judge.test/v1', model: 'judge-1', price }),
];
const BUILT_IN = 'Mask what is bad.\n\n{{points}}';
const view = (change: Partial<RubricView> = {}): RubricView => ({
  task: 't',
  kind: 'steps',
  builtIn: BUILT_IN,
  kept: null,
  version: 'steps@built-in',
  builtInVersion: 'steps@built-in',
  ...change,
});
const kept = { task: 't', kind: 'steps' as const, text: 'Keep what helps.', at: Date.now(), author: 'Alice' };
const estimate = (change = {}) => ({
  judges: [
    {
      judge: 'strict',
      rubrics: ['steps@new'],
      requests: 1,
      steps: 5,
      inputTokens: 1_000,
      outputTokens: 450,
      cost: 0.2,
      obstacle: null,
      ...change,
    },
  ],
});
const half = { value: 0.5, n: 2, low: 0.09, high: 0.91 };
const whole = { value: 1, n: 2, low: 0.34, high: 1 };
const trial = (change: Partial<RubricTrial> = {}): RubricTrial => ({
  run: 'a',
  judge: 'strict',
  before: ['steps@built-in'],
  after: 'steps@new',
  tried: 5,
  compared: 5,
  toMask: 1,
  toKeep: 1,
  labelled: 4,
  precision: { before: half, after: whole },
  recall: { before: half, after: null },
  changes: [
    { step: 1, before: 'mask', after: 'keep', people: 'train', reason: 'sound', why: 'It helps.' },
    { step: 3, before: 'keep', after: 'mask', people: null, reason: 'blind-edit', why: '' },
  ],
  ...change,
});
const untried = trial({ tried: 0, compared: 0, before: [], changes: [], labelled: 0, toMask: 0, toKeep: 0 });
const batch = (change: Partial<JudgeBatchView>) =>
  ({
    id: '01',
    isTrial: true,
    mode: 'mask',
    judge: 'strict',
    runs: ['a'],
    isHere: true,
    total: 5,
    votes: 2,
    failure: null,
    state: 'running',
    at: 0,
    missing: 0,
    ...change,
  }) as JudgeBatchView;

const field = () => screen.getByLabelText<HTMLTextAreaElement>('Text of the rubric');
const type = (text: string) => fireEvent.change(field(), { target: { value: text } });
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
const state = () => screen.getByTestId('rubric-state').textContent;
const tryState = () => screen.getByTestId('trial-state').textContent;

beforeEach(() => {
  const task = { id: 't', title: 'Task', domain: null };
  useRuns.setState({
    list: [
      runSummary('a', { title: 'First', task }),
      runSummary('b', { title: 'Second', task }),
      runSummary('c', { title: 'Third', task: { ...task, id: 'other' } }),
    ],
    loaded: true,
    current: 'a',
  });
  useSettings.setState({ settings: settingsSchema.parse({ endpoints }) });
  useWorkspace.setState({ status: null, problem: null });
  useBatches.setState({ list: [], dismissed: new Set() });
  useView.setState({ mode: 'watch', dialog: null });
  useTimeline.setState({ run: 'a', steps: 5, cursor: 1 });
  useRubric.setState({
    task: null,
    kind: 'steps',
    run: null,
    drafts: {},
    judge: { endpoint: '', name: '', limit: '' },
  });
  openRubric();
});

test('the text that holds is shown; what is typed can be compared, dropped, and outlives the dialog', async () => {
  show(<RubricDialog onClose={() => undefined} />, {
    'rubric.ofTask': () => view(),
    'judge.estimate': () => estimate(),
    'rubric.trial': () => untried,
  });
  await screen.findByLabelText('Text of the rubric');
  expect(screen.getByRole('dialog', { name: 'Rubric of Task' })).toBeTruthy();
  expect(field().value).toBe(BUILT_IN);
  expect(state()).toBe('The built-in text is in use (steps@built-in).');
  expect(tryState()).toBe('Change the text to try it.');
  expect(
    [button('Save'), button('Discard changes'), button('Built-in text'), button('Try')].map(
      (each) => each.disabled,
    ),
  ).toEqual([true, true, true, true]);
  type('Mask what is bad.\nAnd more.');
  expect(state()).toContain('You have unsaved changes.');
  fireEvent.click(button('Changes'));
  const changes = within(screen.getByRole('region', { name: 'Changes' }));
  expect(changes.getByText('And more.')).toBeTruthy();
  expect(changes.getByText('{{points}}')).toBeTruthy();
  fireEvent.click(button('Text'));
  expect(useRubric.getState().drafts['steps t']).toEqual({
    text: 'Mask what is bad.\nAnd more.',
    before: null,
  });
  type('  ');
  expect(state()).toBe('Describe what the judge should look for.');
  expect(button('Save').disabled).toBe(true);
  fireEvent.click(button('Discard changes'));
  expect(field().value).toBe(BUILT_IN);
  expect(useRubric.getState().drafts).toEqual({});
  await shown();
});

test('a text is kept with what was seen kept before, and the way to the steps of the other text is offered', async () => {
  let held = view();
  const bridge = show(<RubricDialog onClose={() => undefined} />, {
    'rubric.ofTask': () => held,
    'judge.estimate': () => estimate(),
    'rubric.trial': () => untried,
    'rubric.keep': ({ text }: CommandInput<'rubric.keep'>) => {
      held = view({ kept: text === null ? null : { ...kept, text }, version: 'steps@new' });
      return { ...held, adopted: 5 };
    },
  });
  await screen.findByLabelText('Text of the rubric');
  type('Keep what helps.');
  fireEvent.click(button('Save'));
  expect(await screen.findByText('Rubric saved. 5 trial verdicts count as votes now')).toBeTruthy();
  expect(bridge.calls).toContainEqual([
    'rubric.keep',
    { task: 't', kind: 'steps', text: 'Keep what helps.', before: null },
  ]);
  await waitFor(() => expect(state()).toMatch(/^Saved by Alice .* \(steps@new\)\.$/));
  fireEvent.click(button('Built-in text'));
  expect(field().value).toBe(BUILT_IN);
  fireEvent.click(button('Save'));
  await waitFor(() =>
    expect(bridge.calls).toContainEqual([
      'rubric.keep',
      { task: 't', kind: 'steps', text: null, before: 'Keep what helps.' },
    ]),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Judge other steps again' }));
  expect(useJudging.getState()).toEqual({ runs: ['a', 'b'], steps: 'changed' });
  expect(useView.getState().dialog).toBe('judge');
});

test('what another person kept meanwhile is overwritten only by who was shown it, and the text that was typed stays', async () => {
  const theirs = { ...kept, text: 'Theirs.', author: 'Bob' };
  let standing = kept;
  const bridge = show(<RubricDialog onClose={() => undefined} />, {
    'rubric.ofTask': () => view({ kept: standing }),
    'judge.estimate': () => estimate(),
    'rubric.trial': () => untried,
    'rubric.keep': ({ before }) => {
      if (before === theirs.text) return { ...view(), adopted: 0 };
      standing = theirs;
      throw { code: 'conflict', message: 'The rubric of task t was changed by Bob in the meantime.' };
    },
  });
  await screen.findByLabelText('Text of the rubric');
  type('Mine.');
  fireEvent.click(button('Save'));
  // In the dialog, which lies over the notices.
  const dialog = within(screen.getByRole('dialog'));
  expect(await dialog.findByText(/was changed by Bob in the meantime/)).toBeTruthy();
  // Whoever clicks twice has not seen it: the button does not save over it, and the changes to it are shown.
  await waitFor(() => expect(state()).toBe('Bob saved another text while you were editing.'));
  expect(button('Save').disabled).toBe(true);
  expect(await screen.findByText('Theirs.')).toBeTruthy();
  fireEvent.click(button('Save mine over it'));
  await waitFor(() =>
    expect(bridge.calls.filter(([name]) => name === 'rubric.keep')).toEqual([
      ['rubric.keep', { task: 't', kind: 'steps', text: 'Mine.', before: kept.text }],
      ['rubric.keep', { task: 't', kind: 'steps', text: 'Mine.', before: 'Theirs.' }],
    ]),
  );
});

function Closable() {
  const [isOpen, setOpen] = useState(true);
  return isOpen ? <RubricDialog onClose={() => setOpen(false)} /> : null;
}

test('where the dialog was closed meanwhile, a notice says that nothing was saved', async () => {
  const refusals: ((why: unknown) => void)[] = [];
  show(<Closable />, {
    'rubric.ofTask': () => view(),
    'judge.estimate': () => estimate(),
    'rubric.trial': () => untried,
    'rubric.keep': () =>
      new Promise((_, reject) => {
        refusals.push(reject);
      }),
  });
  await screen.findByLabelText('Text of the rubric');
  type('Mine.');
  fireEvent.click(button('Save'));
  await screen.findByRole('button', { name: 'Saving…' });
  fireEvent.click(button('Close'));
  refusals[0]?.({ code: 'conflict', message: 'The rubric of task t was changed by Bob in the meantime.' });
  expect(await screen.findByText(/was changed by Bob in the meantime/)).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a change is tried: its cost first, how far it is, then which verdicts change against people, with the way to each', async () => {
  let list: JudgeBatchView[] = [];
  let result = untried;
  const onClose = vi.fn();
  const bridge = show(<RubricDialog onClose={onClose} />, {
    'rubric.ofTask': () => view(),
    'judge.estimate': () => estimate(result === untried ? {} : { steps: 0, requests: 0 }),
    'judge.start': () => {
      list = [batch({})];
      return { batches: ['01'] };
    },
    'judge.batches': () => list,
    'judge.stop': () => list,
    'rubric.trial': () => result,
  });
  await screen.findByLabelText('Text of the rubric');
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'First',
    'Second',
    'strict (judge-1)',
  ]);
  type('Keep what helps.');
  await waitFor(() => expect(tryState()).toBe('5 steps, 1 request, cost about $0.20.'));
  expect(screen.queryByTestId('trial')).toBeNull();
  fireEvent.change(screen.getByLabelText('Cost limit, $'), { target: { value: '1' } });
  fireEvent.click(button('Try'));
  const asks = { mode: 'mask', rubric: { text: 'Keep what helps.' }, isTrial: true };
  const judges = [{ endpoint: 'strict', judge: 'strict' }];
  await waitFor(() =>
    expect(bridge.calls).toContainEqual([
      'judge.start',
      { runs: ['a'], steps: 'all', asks, judges, maxCost: 1 },
    ]),
  );
  await waitFor(() => expect(tryState()).toBe('2 of 5 steps'));
  expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('40');
  fireEvent.click(button('Stop'));
  await waitFor(() => expect(bridge.calls).toContainEqual(['judge.stop', { batch: '01' }]));
  list = [batch({ state: 'done', votes: 5, isHere: false })];
  result = trial();
  await act(loadBatches);
  const found = within(await screen.findByTestId('trial'));
  expect(found.getByText('1 from keep to mask, 1 from mask to keep, on 5 steps.')).toBeTruthy();
  expect(
    found.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent)),
  ).toEqual([
    ['Compared with people', 'Now', 'With this text'],
    ['Precision of its masks', '50 %, n = 2', '100 %, n = 2'],
    ['Recall of people’s masks', '50 %, n = 2', 'unknown'],
  ]);
  expect(found.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    '1MaskKeepagrees with peopleSound: It helps.',
    '3KeepMaskno label yetBlind edit',
  ]);
  expect(found.getByText('Saving makes 5 verdicts of this trial votes of strict.')).toBeTruthy();
  await waitFor(() => expect(tryState()).toBe('strict has judged this run with this text.'));
  fireEvent.click(found.getByRole('button', { name: 'Go to step 3' }));
  expect(onClose).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(useTimeline.getState().cursor).toBe(3));
  expect(useView.getState().mode).toBe('review');
  expect(useRubric.getState().drafts['steps t']?.text).toBe('Keep what helps.');
});

test('the rubric for summaries is edited beside that for steps; what is unsaved of either stays', async () => {
  const forSummaries = { kind: 'summaries' as const, builtIn: 'Mask what forgets.', version: 'summaries@1' };
  let held = view(forSummaries);
  const bridge = show(<RubricDialog onClose={() => undefined} />, {
    'rubric.ofTask': ({ kind }: CommandInput<'rubric.ofTask'>) => (kind === 'steps' ? view() : held),
    'judge.estimate': () => estimate(),
    'rubric.trial': () => untried,
    'rubric.keep': ({ text }: CommandInput<'rubric.keep'>) => {
      held = view({ ...forSummaries, kept: { ...kept, kind: 'summaries', text: text ?? '' } });
      return { ...held, adopted: 0 };
    },
  });
  await screen.findByLabelText('Text of the rubric');
  type('Mask nothing.');
  fireEvent.click(button('Summaries'));
  await waitFor(() => expect(field().value).toBe('Mask what forgets.'));
  expect(state()).toBe('The built-in text is in use (summaries@1).');
  expect(screen.getByText(/A change cannot be tried first/)).toBeTruthy();
  expect(screen.queryByTestId('trial-state')).toBeNull();
  type('Mask what forgets paths.');
  fireEvent.click(button('Save'));
  expect(await screen.findByText('Rubric saved')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Judge the summaries again' })).toBeTruthy();
  expect(bridge.calls).toContainEqual([
    'rubric.keep',
    { task: 't', kind: 'summaries', text: 'Mask what forgets paths.', before: null },
  ]);
  fireEvent.click(button('Steps'));
  expect(field().value).toBe('Mask nothing.');
  expect(Object.keys(useRubric.getState().drafts)).toEqual(['steps t']);
  await shown();
});

test.each([
  [
    trial({ compared: 0, changes: [], before: [] }),
    'strict has not judged this run with another rubric, so there is nothing to compare with.',
  ],
  [
    trial({ labelled: 0 }),
    'People have not agreed on a label for any of these steps, so it is not known which verdicts are right.',
  ],
  [trial({ toMask: 0, toKeep: 0, changes: [] }), 'No verdict changes on 5 steps.'],
  [trial({ toMask: 3 }), 'and 2 more steps'],
])('what a trial cannot say is said: %#', async (result, words) => {
  show(<RubricDialog onClose={() => undefined} />, {
    'rubric.ofTask': () => view(),
    'judge.estimate': () => estimate({ steps: 0 }),
    'rubric.trial': () => result,
  });
  await screen.findByLabelText('Text of the rubric');
  type('Keep what helps.');
  expect(await screen.findByText(words)).toBeTruthy();
});

test('without a model it says what to do; without a run there is nothing to edit', async () => {
  useSettings.setState({ settings: settingsSchema.parse({}) });
  show(<RubricDialog onClose={() => undefined} />, { 'rubric.ofTask': () => view() });
  expect(await screen.findByText('Add a model in the settings to try a rubric.')).toBeTruthy();
  act(() => useRubric.setState({ task: null }));
  expect(await screen.findByText('Open a run to edit the rubric of its task.')).toBeTruthy();
});
