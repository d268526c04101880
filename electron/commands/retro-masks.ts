import type { retroMaskCommands } from '@shared/contract/ipc/labels';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type Group = HandlersOf<typeof retroMaskCommands>;

/** What delivered hints contradict. Accepting is a label like any other; undoing that label brings the proposal back. */
export function retroMaskHandlers(holder: WorkbenchHolder, author: () => Author): Group {
  const store = () => holder.require().store;
  return {
    'labels.retroMasks': async ({ run }) => {
      const { reader } = store();
      const found = [];
      // One hint at a time, so that others are answered in between.
      for (const hint of await reader.openHints(run, author().uuid)) {
        const mask = await reader.retroMask(run, hint);
        if (mask !== null) found.push(mask);
      }
      return found;
    },
    'labels.dismissRetroMask': ({ run, hint }) => store().writer.dismissRetroMask(run, hint, author().uuid),
  };
}
