import { expect, test } from 'vitest';
import { shownCommand } from './classify';

test('how a session was started is not shown, whatever was run in it is', () => {
  for (const line of [
    '/bin/bash --noediting --rcfile /home/ada/waymark/spools/r1/main/start.bash -i',
    'bash --rcfile /tmp/s/start.bash -i',
  ]) {
    expect(shownCommand(line)).toBe('bash (part of the command)');
  }
  for (const line of ['bash train.sh', '/bin/bash -c "sleep 1"', 'python3 train.py --rcfile x']) {
    expect(shownCommand(line)).toBe(line);
  }
});
