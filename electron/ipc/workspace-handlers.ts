import type { Author } from '@shared/annotations';
import type { Settings } from '@shared/settings';
import { startDemoRun } from '../demo/start-demo-run';
import type { WorkbenchHolder } from '../workbench';
import { attentionHandlers } from './handlers/attention';
import { checkpointHandlers } from './handlers/checkpoints';
import { fileHandlers } from './handlers/files';
import { guidelineHandlers } from './handlers/guideline';
import { hintHandlers } from './handlers/hints';
import { labelHandlers } from './handlers/labels';
import { queueHandlers } from './handlers/queue';
import { retroMaskHandlers } from './handlers/retro-masks';
import { ruleHandlers } from './handlers/rules';
import { runChangeHandlers } from './handlers/run-changes';
import { runHandlers } from './handlers/runs';
import { searchHandlers } from './handlers/search';
import { timelineHandlers } from './handlers/timeline';
import type { TerminalPump } from './terminal-pump';
import { ViewerHolder } from './viewer-holder';

export interface WorkspaceHandlerInput {
  holder: WorkbenchHolder;
  /** Who decides and hints here. */
  author(): Author;
  settings(): Settings;
  pump: TerminalPump;
  resourcesDir: string;
}

/**
 * Commands about the open workspace that need neither a window nor this machine's dialogs: the application and
 * `waymark serve` answer them with the same functions.
 */
export function workspaceHandlers(input: WorkspaceHandlerInput) {
  const { author, settings, pump, resourcesDir } = input;
  const holder = new ViewerHolder(input.holder, author);
  return {
    ...runHandlers({
      holder,
      author,
      settings,
      startDemo: () => startDemoRun(holder.require(), { author: author(), resourcesDir }),
    }),
    ...timelineHandlers(holder, pump),
    ...searchHandlers(holder),
    ...fileHandlers(holder),
    'stats.run': ({ run }: { run: string }) => holder.require().store.reader.stats(run),
    ...labelHandlers(holder, author),
    ...retroMaskHandlers(holder, author),
    ...guidelineHandlers(holder),
    ...checkpointHandlers({ holder, author, settings }),
    ...attentionHandlers(holder, author),
    ...queueHandlers({ holder, author }),
    ...hintHandlers(holder, author),
    ...ruleHandlers(holder, author),
    ...runChangeHandlers({ holder, author, settings }),
  };
}
