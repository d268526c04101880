import type { WorkspaceStatus } from '@shared/contract/ipc/application';
import { settingsSchema } from '@shared/contract/settings';
import type { LabelStack } from '@shared/contract/views';
import type { JudgeVerdict } from '@shared/labels/labels';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test } from 'vitest';
import { show, shown } from '../../page-fixtures';
import { settled } from '../../state/bridge-fixtures';
import { useFilter } from '../../state/rows/filter';
import { useDetails } from '../../state/run/detail';
import { HeadCache } from '../../state/run/head-cache';
import { stepHead } from '../../state/run/step-fixtures';
import { useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { useLabelCommands } from './label-commands';
import { OpinionLayers } from './OpinionLayers';

const me = { uuid: 'me', name: 'Me' };
const vote = (change: Partial<JudgeVerdict> = {}): JudgeVerdict => ({
  value: 'mask',
  reason: 'blind-edit',
  judge: 'strict',
  confidence: 0.55,
  why: 'The file was not opened.',
  steps: [2, 4],
  rubric: 'steps@one',
  entry: 'e1',
  at: 0,
  ...change,
});
const stack = (change: Partial<LabelStack> = {}): LabelStack => ({
  effective: { value: 'mask', source: 'judge', reason: 'blind-edit', disagreement: false },
  why: { code: 'judge_mask', params: {} },
  humans: [],
  rules: [],
  judges: [vote()],
  corrections: [],
  comments: [],
  assigned: [],
  history: [],
  withheld: false,
  ...change,
});

/** With the keys that label, as in the window. */
function Layers({ of }: { of: LabelStack }) {
  useLabelCommands();
  return <OpinionLayers stack={of} step={4} />;
}

const judge = { value: 'mask', confidence: 0.55, differ: false } as const;
const heads = ({ from, to }: { from: number; to: number }) =>
  Array.from({ length: to - from + 1 }, (_, at) => stepHead(from + at, { run: 'run', judge }));
const answered = {
  'timeline.heads': heads,
  'labels.apply': (input: { from: number; to: number }) => ({ ulid: 'x', target: { run: 'run', ...input } }),
  'timeline.tiles': () => [],
};

beforeEach(() => {
  useSettings.setState({ settings: settingsSchema.parse({ annotator: me }) });
  const status = { folder: '/w', isReadOnly: false } as WorkspaceStatus;
  useWorkspace.setState({ status, problem: null });
  useDetails.setState({ details: new Map() });
});

async function shownOn(of: LabelStack) {
  const bridge = show(<Layers of={of} />, answered);
  const cache = new HeadCache({
    load: async (from, to) => heads({ from, to }),
    changed: () => undefined,
    failed: (thrown) => expect.fail(String(thrown)),
  });
  cache.advance(1, 9);
  cache.show([{ from: 1, to: 9 }]);
  await settled();
  useFilter.setState({ query: {}, steps: null, looking: false });
  useView.setState({ mode: 'review' });
  act(() =>
    useTimeline.setState({ run: 'run', heads: cache, steps: 9, cursor: 4, anchor: null, jumpedAt: null }),
  );
  return bridge;
}

const layer = (name: string) => within(screen.getByText(name).closest('li') as HTMLElement);
const labelled = (value: 'train' | 'mask', reason: string | null) => [
  'labels.apply',
  expect.objectContaining({ run: 'run', from: 4, to: 4, value, reason }),
];

test('a vote shows its reason, its sentence, how sure the judge is, its rubric, and the way to what it cites', async () => {
  await shownOn(stack());
  const vote = layer('strict');
  expect(vote.getByText('Blind edit: The file was not opened.')).toBeTruthy();
  expect(vote.getByText('55 % sure').className).toContain('tone-attention');
  expect(vote.getByText('rubric steps@one')).toBeTruthy();
  expect(vote.queryByRole('button', { name: 'Go to step 4' })).toBeNull();
  fireEvent.click(vote.getByRole('button', { name: 'Go to step 2' }));
  expect(useTimeline.getState().cursor).toBe(2);
  await shown();
});

test.each([
  ['Agree with strict: MASK', 'mask', null],
  ['Disagree with strict: TRAIN', 'train', null],
] as const)('the only judge is answered as by its key: %s', async (name, value, reason) => {
  const bridge = await shownOn(stack());
  fireEvent.click(screen.getByRole('button', { name }));
  await waitFor(() => expect(bridge.calls).toContainEqual(labelled(value, reason)));
  expect(useTimeline.getState().cursor).toBe(5);
  await shown();
});

test('of several judges each is answered by its own verdict, with its own reason', async () => {
  const other = vote({ judge: 'mild', value: 'keep', reason: 'sound', entry: 'e2', confidence: null });
  const bridge = await shownOn(stack({ judges: [vote(), other] }));
  expect(layer('mild').queryByText(/sure$/)).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Disagree with mild: MASK' }));
  await waitFor(() => expect(bridge.calls).toContainEqual(labelled('mask', null)));
  act(() => useTimeline.setState({ cursor: 4, jumpedAt: null }));
  fireEvent.click(screen.getByRole('button', { name: 'Agree with strict: MASK' }));
  await waitFor(() => expect(bridge.calls).toContainEqual(labelled('mask', 'blind-edit')));
  await shown();
});

test('who has decided is not asked again', async () => {
  const mine = { entry: 'e3', author: me, value: 'train', reason: null, adjudication: false, at: 0 } as const;
  await shownOn(stack({ humans: [mine] }));
  expect(screen.queryByRole('button', { name: /^(Agree|Disagree)/ })).toBeNull();
  await shown();
});
