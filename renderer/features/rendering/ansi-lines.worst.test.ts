import { describe, expect, it } from 'vitest';
import { ansiLines } from './ansi-lines';

describe('4 MB of the worst', () => {
  const size = 4 * 1024 * 1024;
  const shapes: Record<string, string> = {
    'a line erased from its beginning again and again': `${'x'.repeat(40)}\x1b[1K`,
    'runs without a line end': 'x\x1b[31m',
    'steps to the right': 'x\x1b[1024C',
    'columns far away': 'x\x1b[2K\x1b[1024Gx',
    'moves that begin a line': 'x\x1b[A',
    'colours without numbers': `\x1b[${'38;'.repeat(20)}m`,
  };
  for (const [name, unit] of Object.entries(shapes)) {
    it(`is drawn, and no more is made of it than it holds: ${name}`, { timeout: 60_000 }, () => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const made = ansiLines(text).reduce(
        (sum, line) => sum + line.reduce((length, span) => length + span.text.length, 0),
        0,
      );
      expect(made).toBeLessThanOrEqual(5 * text.length + 65_536);
    });
  }
});
