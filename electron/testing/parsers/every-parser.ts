import type { Parser } from './parser';
import { recordParsers } from './record-parsers';
import { screenParsers } from './screen-parsers';
import { secretParsers } from './secret-parsers';
import { shellParsers } from './shell-parsers';
import { textParsers } from './text-parsers';

/** Whatever reads text or bytes that others made. `every-parser.test.ts` finds what is not in it. */
export const everyParser: readonly Parser[] = [
  ...shellParsers,
  ...screenParsers,
  ...textParsers,
  ...recordParsers,
  ...secretParsers,
];
