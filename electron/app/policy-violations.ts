import { z } from 'zod';
import type { Log } from './log';

const short = z.string().transform((text) => text.slice(0, 200));

/** What the page's content policy stopped, as Chromium reports it; long texts are cut. */
const policyViolationSchema = z.object({
  effectiveDirective: short,
  blockedURI: short,
  sourceFile: short.nullable(),
  lineNumber: z.number(),
  sample: short,
});
export type PolicyViolation = z.infer<typeof policyViolationSchema>;

/** A page that breaks its policy does so often; the log is for other things too. */
const most = 50;
/** Writes down what the content policy of the page stopped, as the page's process tells it. The first ones only. */
export class PolicyViolations {
  private readonly log: Pick<Log, 'error'>;
  private seen = 0;

  constructor(log: Pick<Log, 'error'>) {
    this.log = log;
  }

  note(report: unknown): void {
    this.seen += 1;
    if (this.seen > most) return;
    const told = policyViolationSchema.safeParse(report);
    this.log.error('The page broke its content policy', told.success ? told.data : {});
  }
}
