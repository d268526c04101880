import type { RedactionView } from '@shared/contract/export-views';
import { openReads } from '../../store/queries/reads';
import { planExport } from '../export-plan';
import { findSecrets } from '../redaction/findings';
import { redactionSettings } from '../redaction/settings';
import type { FindingsTask } from './export-runner';
import { threadReader } from './thread-reader';

/** The report before an export, over the same rows, in this thread: it reads the workspace over a connection of its own. */
export async function runFindings(
  { workspace, options, sources }: FindingsTask,
  signal: AbortSignal,
): Promise<RedactionView> {
  const { reads, close } = openReads(workspace);
  try {
    const reader = threadReader(reads);
    const plan = await planExport(reader, { ...options, signal });
    const settings = redactionSettings(plan.runs, plan.options, sources);
    return (await findSecrets(reader, plan, { settings, signal })).view();
  } finally {
    close();
  }
}
