import type { ruleCommands } from '@shared/contract/ipc/rules';
import type { Author } from '@shared/log/annotations';
import { checkSettings, rulesOfRun } from '../label/run-rules';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof ruleCommands>;

/** The symbolic rules of a task. */
export function ruleHandlers(holder: WorkbenchHolder, author: () => Author): Group {
  const store = () => holder.require().store;
  return {
    'rules.ofRun': ({ run }) => rulesOfRun(store().reader, run),
    'rules.preview': ({ runs, settings }) => store().reader.previewRules(runs, checkSettings(settings)),
    'rules.apply': ({ task, settings }) =>
      store().writer.setRules(task, settings === null ? null : checkSettings(settings), author()),
    'rules.progress': ({ task }) => store().reader.ruleProgress(task),
  };
}
