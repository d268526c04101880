import { exportRequestSchema } from '../export-request';
import type { RedactionView } from '../export-views';
import { type CommandRows, returns } from './parts';

/** What is taken out of exports. */
export const redactionCommands = {
  /** Secrets and names in the rows that such an export would write: goes over all of them. Never a secret itself. */
  'export.findings': {
    input: exportRequestSchema,
    output: returns<RedactionView>(),
    place: 'workspace',
    consent: 'free',
  },
} as const satisfies CommandRows;
