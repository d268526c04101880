import { WaymarkError } from '@shared/contract/errors';
import type { attentionCommands } from '@shared/contract/ipc/attention';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof attentionCommands>;

/** What wants a person's eye. */
export function attentionHandlers(holder: WorkbenchHolder, author: () => Author): Group {
  const store = () => holder.require().store;
  return {
    'attention.list': () => store().reader.attentionList(author().uuid),
    'attention.seen': ({ run, seq }) => store().writer.see(run, author().uuid, seq),
    'attention.report': async ({ from, to }) => {
      if (to < from) throw new WaymarkError('bad_input', 'The report would end before it begins.');
      return { from, to, runs: await store().reader.attentionReport(from, to) };
    },
  };
}
