import { errorCodes } from '@shared/contract/errors';
import { run } from '@shared/contract/ipc/parts';
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

/** Pieces of what a server says. A text is any text: the window shows it as text. A number is one that can be counted with. */
export { run };
export const text = z.string();
export const texts = listOf(text);
export const count = z.int().nonnegative();
export const number = z.number();
/** Wall-clock ms. */
export const at = z.number();
export const step = z.int();
export const steps = listOf(step);
export const range = z.object({ from: step, to: step });
export const ranges = listOf(range);
export const person = z.object({ uuid: text, name: text });
export const labelValue = z.enum(['train', 'mask']);
/** What is answered to a command that only does something. */
export const nothing = z.unknown().transform((): void => undefined);
export const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
export const failure = z.object({ code: z.enum(errorCodes), message: text, detail: text.optional() });

/** Bytes of one page or frame, at most; what is longer is no page of ours. */
const mostBytes = 8 * 1024 * 1024;
export const terminalPage = z
  .object({
    offset: count,
    endOffset: count,
    bytes: z.instanceof(Uint8Array).refine(({ byteLength }) => byteLength <= mostBytes, 'more than 8 MB'),
  })
  .refine(({ offset, endOffset }) => offset <= endOffset, 'it ends before it begins');
