import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellQuote } from './shell-quote';

it.skipIf(process.platform === 'win32')('a shell reads a quoted word back as it was', () => {
  const text = fc.string({ unit: 'grapheme' }).map((drawn) => drawn.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), (words) => {
      const line = words.map(shellQuote).join(' ');
      const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 25, examples: [[["it's", '', '$(id) `id` \\ "x"\n!', "'"]]] },
  );
});
