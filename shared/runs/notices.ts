import { z } from 'zod';

/** What was said to the agent of an action once it was over, as a guard that warns: in the observation's `data.notices`. */
const noticesSchema = z.array(z.object({ rule: z.string(), level: z.enum(['warn']), message: z.string() }));

export function noticesOf(data: Record<string, unknown>): z.infer<typeof noticesSchema> {
  if (data.notices === undefined) return [];
  const read = noticesSchema.safeParse(data.notices);
  return read.success ? read.data : [];
}
