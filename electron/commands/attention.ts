import { WaymarkError } from '@shared/contract/errors';
import type { Author } from '@shared/log/annotations';
import type { Handlers } from '../ipc/register';
import type { WorkbenchHolder } from '../workbench';

type Group = Pick<Handlers, 'attention.list' | 'attention.seen' | 'attention.report'>;

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
