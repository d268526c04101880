import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { HintView } from '@shared/outbox';
import type { WorkbenchHolder } from '../../workbench';
import type { Handlers } from '../register';

type LabelHandlers = Pick<
  Handlers,
  | 'hints.list'
  | 'hints.queue'
  | 'hints.edit'
  | 'hints.move'
  | 'hints.withdraw'
  | 'labels.apply'
  | 'labels.comment'
  | 'labels.flag'
  | 'labels.undo'
  | 'labels.redo'
>;

/** What people write: hints into the outbox, decisions into the annotation log. Each resolves after COMMIT. */
export function labelHandlers(holder: WorkbenchHolder, author: () => Author): LabelHandlers {
  const store = () => holder.require().store;
  const writer = () => store().writer;
  const hint = async (run: string, id: string): Promise<HintView> => {
    const found = (await store().reader.hints(run)).hints.find((candidate) => candidate.id === id);
    if (!found) throw new WaymarkError('not_found', `Hint ${id} is not in this run.`);
    return found;
  };
  return {
    'hints.list': ({ run }) => store().reader.hints(run),
    'hints.queue': async ({ run, text, category }) => {
      const id = await holder.require().engine.hint(run, author(), text, category);
      return hint(run, id);
    },
    'hints.edit': async ({ run, hint: id, text }) => {
      await writer().post(run, author(), { op: 'hint.edited', hint: id, text });
    },
    'hints.move': async ({ run, hint: id, before }) => {
      await writer().post(run, author(), { op: 'hint.moved', hint: id, before });
    },
    'hints.withdraw': async ({ run, hint: id }) => {
      await writer().post(run, author(), { op: 'hint.withdrawn', hint: id });
    },
    'labels.apply': ({ run, from, to, value, reason }) => {
      const target = { run, from: Math.min(from, to), to: Math.max(from, to) };
      return writer().annotate(author(), target, { op: 'label', value, reason });
    },
    'labels.comment': ({ run, step, text }) =>
      writer().annotate(author(), { run, from: step, to: step }, { op: 'comment', text }),
    'labels.flag': ({ run, step, on }) =>
      writer().annotate(author(), { run, from: step, to: step }, { op: 'flag', on }),
    'labels.undo': async ({ run }) => {
      const done = await writer().undo(run, author());
      return done && { entry: done.entry, target: done.undid };
    },
    'labels.redo': async ({ run }) => {
      const done = await writer().redo(run, author());
      return done && { entry: done.entry, target: done.redid };
    },
  };
}
