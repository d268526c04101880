import type { Author } from '@shared/log/annotations';
import type { Handlers } from '../ipc/register';
import { checkSettings, rulesOfRun } from '../label/run-rules';
import type { WorkbenchHolder } from '../workbench';

type Group = Pick<Handlers, 'rules.ofRun' | 'rules.preview' | 'rules.apply' | 'rules.progress'>;

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
