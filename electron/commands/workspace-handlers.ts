import { WaymarkError } from '@shared/contract/errors';
import type { Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import { startDemoRun } from '../demo/start-demo-run';
import type { TerminalPump } from '../ipc/terminal-pump';
import type { WorkbenchHolder } from '../workbench';
import { checkpointHandlers } from './checkpoints';
import { experimentHandlers } from './experiments';
import { judgeHandlers } from './judging';
import { guidelineHandlers, labelHandlers, retroMaskHandlers, ruleHandlers } from './labels';
import { queueHandlers } from './queue';
import {
  attentionHandlers,
  hintHandlers,
  type RunHandlerOptions,
  runChangeHandlers,
  runHandlers,
} from './runs';
import { fileHandlers, searchHandlers, timelineHandlers } from './timeline';
import { ViewerHolder } from './viewer-holder';

export interface WorkspaceHandlerInput {
  holder: WorkbenchHolder;
  /** Who decides and hints here. */
  author(): Author;
  settings(): Settings;
  pump: TerminalPump;
  resourcesDir: string;
  /** A folder that a person chose in this window, by its name; absent: there is no window here. */
  shownFolder?: RunHandlerOptions['shownFolder'];
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
      shownFolder: input.shownFolder ?? noFolder,
      startDemo: () => startDemoRun(holder.require(), { author: author(), resourcesDir }),
    }),
    ...timelineHandlers(holder, pump),
    ...searchHandlers(holder),
    ...fileHandlers(holder),
    ...experimentHandlers(holder),
    ...labelHandlers(holder, author),
    ...retroMaskHandlers(holder, author),
    ...guidelineHandlers(holder),
    ...checkpointHandlers({ holder, author, settings }),
    ...attentionHandlers(holder, author),
    ...queueHandlers({ holder, author }),
    ...hintHandlers(holder, author),
    ...ruleHandlers(holder, author),
    ...judgeHandlers(holder, author),
    ...runChangeHandlers({ holder, author, settings }),
  };
}

function noFolder(): never {
  throw new WaymarkError(
    'bad_input',
    'Folders cannot be chosen from this window for a run on a server. Use --show on its command line.',
  );
}
