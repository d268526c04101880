import { z } from 'zod';

const short = z.string().transform((text) => text.slice(0, 200));

/** What the page's content policy stopped, as Chromium reports it; long texts are cut. */
export const policyViolationSchema = z.object({
  effectiveDirective: short,
  blockedURI: short,
  sourceFile: short.nullable(),
  lineNumber: z.number(),
  sample: short,
});
export type PolicyViolation = z.infer<typeof policyViolationSchema>;
