import type { hintCommands } from '@shared/contract/ipc/hints';
import type { Author } from '@shared/log/annotations';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './handlers';

type HintHandlers = HandlersOf<typeof hintCommands>;

/** The outbox of hints, what became of them, and drafts tried out. Writes resolve after COMMIT. */
export function hintHandlers(holder: WorkbenchHolder, author: () => Author): HintHandlers {
  const desk = () => holder.require().engine.hints;
  const rehearsals = () => holder.require().engine.rehearsals;
  return {
    'hints.list': ({ run }) => holder.require().store.reader.hints(run),
    'hints.queue': ({ run, ...hint }) => desk().queue(run, author(), hint),
    'hints.edit': ({ run, hint, ...edit }) => desk().edit(run, author(), hint, edit),
    'hints.move': ({ run, hint, before }) => desk().move(run, author(), hint, before),
    'hints.withdraw': ({ run, hint }) => desk().withdraw(run, author(), hint),
    'hints.verdict': ({ run, hint, verdict }) => desk().verdict(run, author(), hint, verdict),
    'hints.rehearsalCost': ({ run, text }) => rehearsals().cost(run, text),
    'hints.rehearse': ({ run, text }) => rehearsals().rehearse(run, text),
    'hints.cancelRehearsal': async ({ run }) => rehearsals().cancel(run),
  };
}
