import { expect, test } from 'vitest';
import { eventually } from '../testing/deadline';
import { CalmPublisher } from './calm-publisher';

test('a flood of changed lists is told at once and once more, everything else as it comes', async () => {
  const heard: string[] = [];
  const calm = new CalmPublisher({ publish: (event) => void heard.push(event) });
  for (let count = 0; count < 100; count += 1) {
    calm.publish('run.listChanged', {});
    if (count % 50 === 0) calm.publish('hints.changed', { run: 'r' });
  }
  expect(heard).toEqual(['run.listChanged', 'hints.changed', 'hints.changed']);
  await eventually('the last word is told', () => heard.length === 4);
  expect(heard.at(-1)).toBe('run.listChanged');
  calm.publish('run.listChanged', {});
  expect(heard).toHaveLength(4);
  calm.stop();
});
