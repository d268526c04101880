import { expect, it } from 'vitest';
import { BridgeStand, settled } from '../bridge-fixtures';
import { useRuns } from './runs';
import { stepHead } from './step-fixtures';
import { afterFirstRows, openTimeline } from './timeline';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const other = '01ARZ3NDEKTSV4RRFFQ69G5FAW';

it('waits for the rows of the run, and does nothing when another one was opened', async () => {
  let answer: (heads: unknown) => void = () => undefined;
  new BridgeStand({
    'timeline.heads': () => new Promise((resolve) => (answer = resolve)),
    'timeline.tiles': () => [],
    'timeline.segments': () => [],
  });
  const done: string[] = [];
  useRuns.setState({ current: run });
  afterFirstRows(run, () => done.push('first'));
  openTimeline(run, 3, 1);
  await settled();
  expect(done).toEqual([]);
  answer([stepHead(1)]);
  await settled();
  expect(done).toEqual(['first']);
  afterFirstRows(run, () => done.push('at once'));
  expect(done).toEqual(['first', 'at once']);

  useRuns.setState({ current: other });
  openTimeline(other, 3, 1);
  afterFirstRows(other, () => done.push('never'));
  useRuns.setState({ current: run });
  openTimeline(run, 3, 0);
  await settled();
  expect(done).toEqual(['first', 'at once']);
});
