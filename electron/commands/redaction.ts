import type { RedactionView } from '@shared/contract/export-views';
import type { CommandParsed } from '@shared/contract/ipc';
import type { redactionCommands } from '@shared/contract/ipc/redaction';
import type { Settings } from '@shared/contract/settings';
import type { FindingsRunner } from '../dataset/jobs/export-runner';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

export interface RedactionHandlerOptions {
  holder: WorkbenchHolder;
  settings(): Settings;
  /** What the application holds now: keys, values that were taken out of the environment. */
  held(): readonly string[];
  find: FindingsRunner;
}

/**
 * The report before an export, over the same rows. Going over them takes long: the same question gets the answer that is under way,
 * and another one ends it.
 */
export function redactionHandlers(options: RedactionHandlerOptions): HandlersOf<typeof redactionCommands> {
  let last: { asked: string; answer: Promise<RedactionView>; end: AbortController } | null = null;
  const findings = async (input: CommandParsed<'export.findings'>, signal: AbortSignal) => {
    const { folder: workspace } = options.holder.require();
    const { annotator, computers } = options.settings();
    const sources = { settings: { annotator, computers }, held: options.held() };
    return options.find({ workspace, options: input, sources }, signal);
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
