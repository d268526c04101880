import type { RunSummary } from '@shared/contract/views';
import type { AttentionItem, RunAttention } from '@shared/runs/attention/attention';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { show } from '../../page-fixtures';
import { useComputers } from '../../state/computers';
import { runSummary } from '../../state/run/run-fixtures';
import { useRuns } from '../../state/run/runs';
import { useView } from '../../state/view';
import { useWorkspace } from '../../state/workspace';
import { useInbox } from '../inbox/attention';
import { Rail } from './Rail';

const run = (id: string, change: Partial<RunSummary> = {}) =>
  runSummary(id, { changedAt: Date.now(), ...change });
const wants = (id: string, change: Partial<AttentionItem>): RunAttention => ({
  run: id,
  title: id,
  seenSeq: 0,
  seenAt: null,
  newSteps: 0,
  items: [
    {
      id: 'it',
      run: id,
      kind: 'gpu_idle',
      urgency: 1,
      step: null,
      steps: [],
      seq: 1,
      at: 0,
      facts: {},
      open: true,
      ...change,
    },
  ],
  counts: {},
  behind: 0,
});
/** Each heading with its runs, by the names that screen readers get. */
const groups = () =>
  screen.getAllByRole('region').map((group) => [
    group.getAttribute('aria-label'),
    ...within(group)
      .getAllByRole('button')
      .map((each) => (each.getAttribute('aria-label') ?? each.title).split(':')[0]),
  ]);
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name });

beforeEach(() => {
  useRuns.setState({ list: [], loaded: true, current: null });
  useInbox.setState({ list: [] });
  useComputers.setState({ rows: [], health: {}, place: null });
  useView.setState({ railWide: true, mode: 'watch', dialog: null });
  useWorkspace.setState({ status: null, problem: null });
});

test('who needs a person stands first, with the reason; a finished run with its score and what is left to label', () => {
  useRuns.setState({
    current: 'asks',
    list: [
      run('works'),
      run('idles'),
      run('done', {
        state: 'finished',
        scores: { best: 80, final: 80, last: 80, tries: 1, maxTries: 3 },
        labels: { train: 0, mask: 0, undecided: 2, disagreement: 0 },
      }),
      run('broke', { state: 'failed', message: 'The disk is full.' }),
      run('asks', { state: 'waiting_human' }),
    ],
  });
  useInbox.setState({ list: [wants('idles', {})] });
  show(<Rail />);
  expect(groups()).toEqual([
    ['Needs you', 'idles', 'asks', 'broke'],
    ['Quiet', 'works'],
    ['Finished', 'done'],
  ]);
  expect(button(/^idles/).textContent).toContain('GPUs idle');
  expect(button(/^broke/).title).toBe('broke: Failed. The disk is full.');
  expect(button(/^done/).textContent).toContain('80, 2 undecided');
  expect(button(/^asks/).getAttribute('aria-current')).toBe('true');
});

test('a row opens its run, also in the narrow form, which says all in its name', async () => {
  useRuns.setState({
    list: [run('first'), run('second', { task: { id: 'task-12', title: 't', domain: null } })],
  });
  show(<Rail />);
  fireEvent.click(button(/^first/));
  await waitFor(() => expect(button(/^first/).getAttribute('aria-current')).toBe('true'));
  fireEvent.click(button('Collapse the list of runs'));
  const mark = button(/^second: Thinking\. step 3/);
  expect(mark.textContent).toBe('12');
  fireEvent.click(mark);
  await waitFor(() => expect(useRuns.getState().current).toBe('second'));
  fireEvent.click(button('Expand the list of runs'));
  expect(button(/^second/).textContent).toContain('Thinking');
});

test('without a choice of the person it is narrow in a narrow window and in Review', () => {
  const media = Object.assign(new EventTarget(), { matches: true });
  const asked = vi.spyOn(window, 'matchMedia').mockReturnValue(media as unknown as MediaQueryList);
  onTestFinished(() => asked.mockRestore());
  useView.setState({ railWide: null });
  show(<Rail />);
  expect(button('Collapse the list of runs')).toBeTruthy();
  act(() => useView.setState({ mode: 'review' }));
  expect(button('Expand the list of runs')).toBeTruthy();
  act(() => useView.setState({ mode: 'watch' }));
  expect(button('Collapse the list of runs')).toBeTruthy();
  media.matches = false;
  act(() => {
    media.dispatchEvent(new Event('change'));
  });
  fireEvent.click(button('Expand the list of runs'));
  expect(button('Collapse the list of runs')).toBeTruthy();
});

test('without runs there are no headings, and the ways to begin', () => {
  show(<Rail />);
  expect(screen.queryByRole('region')).toBeNull();
  fireEvent.click(button('Import a run'));
  expect(useView.getState().dialog).toBe('import');
  fireEvent.click(button(/^New run/));
  expect(useView.getState().dialog).toBe('newRun');
  fireEvent.click(button('Computers'));
  expect(useComputers.getState().place).toEqual({ page: 'add', alias: '' });
});

test('where a workspace is only read nothing is started or imported, and it says why', () => {
  useWorkspace.setState({ status: { isReadOnly: true } as never });
  show(<Rail />);
  for (const held of [button(/^New run/), button('Import a run')]) {
    expect(held.disabled).toBe(true);
    expect(held.title).toContain('This workspace is read-only for now');
  }
  expect(button('Computers').disabled).toBe(false);
});

test('a run that waits for a computer names the one that is away', () => {
  const computers = [{ name: 'trainer', kind: 'ssh' as const, host: 'gpu-1' }];
  useRuns.setState({ list: [run('waits', { state: 'waiting_host', computers })] });
  show(<Rail />);
  expect(button(/^waits/).textContent).toContain('Waiting for a computer');
  act(() =>
    useComputers.setState({
      health: {
        'gpu-1': {
          alias: 'gpu-1',
          state: 'down',
          lastByteAt: null,
          roundTripMs: null,
          since: 0,
          retryAt: null,
          tries: 1,
          message: 'Gone.',
        },
      },
    }),
  );
  expect(button(/^waits/).textContent).toContain('Waiting for trainer');
});

/** Elements are so many pixels high. */
function drawnAt(height: number): void {
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, get: () => height });
  onTestFinished(() => void Reflect.deleteProperty(HTMLElement.prototype, 'clientHeight'));
}

test('of a thousand runs only those in view are drawn, under their headings; the list is as long as all of them', () => {
  drawnAt(520);
  const list = Array.from({ length: 1_000 }, (_, index) =>
    run(`run ${index}`, index < 3 ? { state: 'waiting_human' } : { state: 'finished' }),
  );
  useRuns.setState({ list });
  show(<Rail />);
  const drawn = groups();
  expect(drawn.map(([group, ...runs]) => [group, runs.length > 0])).toEqual([
    ['Needs you', true],
    ['Finished', true],
  ]);
  expect(drawn.flat().length).toBeLessThan(60);
  expect(screen.getByText('997')).toBeTruthy();
  const box = document.querySelector<HTMLElement>('.rail-list') ?? expect.fail();
  const heights = () =>
    [box.firstElementChild, box.lastElementChild].map((each) =>
      Number.parseInt((each as HTMLElement).style.height, 10),
    );
  const [before = 0, after = 0] = heights();
  const all = 2 * 32 + 1_000 * 52;
  expect(before).toBe(0);
  expect(after).toBe(all - (drawn.flat().length - 2) * 52 - 2 * 32);
  act(() => {
    box.scrollTop = all;
    box.dispatchEvent(new Event('scroll'));
  });
  expect(groups().map(([group]) => group)).toEqual(['Finished']);
  expect(heights()[1]).toBe(0);
  // The narrow form has other heights.
  fireEvent.click(button('Collapse the list of runs'));
  act(() => {
    box.scrollTop = 0;
    box.dispatchEvent(new Event('scroll'));
  });
  expect(heights()[1]).toBe(1_000 * 36 - (groups().flat().length - 2) * 36);
});

test('a list that becomes long keeps its place and the focus; when the focused run scrolls out of it, the list takes the focus', () => {
  drawnAt(520);
  // Of different times, as the newest stands first.
  const list = Array.from({ length: 199 }, (_, index) =>
    run(`run ${index}`, { state: 'finished', changedAt: 1_000 - index }),
  );
  useRuns.setState({ list });
  show(<Rail />);
  const box = document.querySelector<HTMLElement>('.rail-list') ?? expect.fail();
  const scroll = (top: number) =>
    act(() => {
      box.scrollTop = top;
      box.dispatchEvent(new Event('scroll'));
    });
  scroll(5_200);
  const focused = screen.getByTitle(/^run 104:/);
  act(() => focused.focus());
  act(() => useRuns.setState({ list: [...list, run('late', { state: 'finished', changedAt: 0 })] }));
  expect(document.querySelectorAll('.rail-row').length).toBeLessThan(60);
  expect(box.scrollTop).toBe(5_200);
  expect(document.activeElement).toBe(focused);
  scroll(0);
  expect(focused.isConnected).toBe(false);
  expect(document.activeElement).toBe(box);
});
