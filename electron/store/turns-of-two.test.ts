import { test } from 'vitest';
import { takeTurns } from '../testing/turns/take-turns';

test('two processes that take turns on one workspace leave what one process would, turn by turn', async () => {
  await takeTurns(2);
}, 3_600_000);
