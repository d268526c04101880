import type { RedactionView } from '@shared/contract/export-views';
import type { CommandParsed } from '@shared/contract/ipc';
import type { redactionCommands } from '@shared/contract/ipc/redaction';
import type { Settings } from '@shared/contract/settings';
import { planExport } from '../dataset/export-plan';
import { findSecrets } from '../dataset/redaction/findings';
import { redactionSettings } from '../dataset/redaction/settings';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

export interface RedactionHandlerOptions {
  holder: WorkbenchHolder;
  settings(): Settings;
  /** What the application holds now: keys, values that were taken out of the environment. */
  held(): readonly string[];
}

/**
 * The report before an export, over the same rows. Going over them takes long: the same question gets the answer that is under way,
 * and another one ends it.
 */
export function redactionHandlers(options: RedactionHandlerOptions): HandlersOf<typeof redactionCommands> {
  let last: { asked: string; answer: Promise<RedactionView>; end: AbortController } | null = null;
  const findings = async (input: CommandParsed<'export.findings'>, signal: AbortSignal) => {
    const { reader } = options.holder.require().store;
    const plan = await planExport(reader, { ...input, signal });
    const sources = { settings: options.settings(), held: options.held() };
    const settings = redactionSettings(plan.runs, plan.options, sources);
    return (await findSecrets(reader, plan, { settings, signal })).view();
  };
  return {
    'export.findings': async (input) => {
      const asked = JSON.stringify(input);
      if (last?.asked === asked) return last.answer;
      last?.end.abort();
      const end = new AbortController();
      const mine = { asked, answer: findings(input, end.signal), end };
      last = mine;
      try {
        return await mine.answer;
      } finally {
        if (last === mine) last = null;
      }
    },
  };
}
