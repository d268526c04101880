import { z } from 'zod';
import { idPattern } from './id';

/** An id at an edge: see `isId`. */
export const idSchema = z
  .string()
  .regex(idPattern, 'This is no id: 26 capitals and digits without I, L, O and U.');
