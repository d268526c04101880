import { z } from 'zod';

/**
 * A list whose items are parsed one by one up to the first that is wrong: `z.array` goes on and keeps every problem of every
 * item, which for a million wrong ones is all the memory there is.
 */
export function listOf<S extends z.ZodType>(item: S) {
  return z.array(z.unknown()).transform((values, context): z.output<S>[] => {
    const parsed: z.output<S>[] = [];
    for (const [index, value] of values.entries()) {
      const one = item.safeParse(value);
      if (!one.success) {
        const [issue] = one.error.issues;
        const path = [index, ...(issue?.path ?? [])];
        context.addIssue({ code: 'custom', message: issue?.message ?? 'not understood', path });
        return z.NEVER;
      }
      parsed.push(one.data);
    }
    return parsed;
  });
}
