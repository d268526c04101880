import { z } from 'zod';
import { oneLine } from '../base/clean-text';

/** Most characters of a judge's name. */
const MOST = 80;

/** The name that a judge's votes are signed with: what looks the same is the same. */
export const judgeName = z
  .string()
  .trim()
  .normalize('NFC')
  .min(1, 'is empty')
  .pipe(oneLine(MOST))
  .refine((name) => !/\p{Cf}/u.test(name), 'holds a character that cannot be seen');
