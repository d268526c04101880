import { z } from 'zod';
import { oneLine } from '../base/clean-text';

/** Most characters of the name of a person or of a judge, as in the settings. */
const MOST = 80;

/** The name that labels or a judge's votes are signed with: names that look the same are the same. */
export const authorName = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1, 'is empty')
  .pipe(oneLine(MOST))
  .refine((name) => !/\p{Cf}/u.test(name), 'holds a character that cannot be seen');
