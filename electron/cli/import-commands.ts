import { resolve } from 'node:path';
import { mostTitle } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { ImportResult } from '@shared/contract/ipc/imports';
import { readApart } from '../dataset/importers/import-thread';
import type { LogReader } from '../dataset/importers/read-log';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import { type Arguments, filled, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted } from './output';

/** `import PATH`: a log of another system becomes a run; nothing of it is driven. Ctrl-C breaks it off and takes it back. */
export async function importCommand(
  context: CliContext,
  args: Arguments,
  read: LogReader = readApart(),
): Promise<CommandResult> {
  const path = resolve(required(args.words[1], 'The file or folder to import'));
  oneOf(args.values.format, ['researchgym'], 'researchgym', '--format');
  const controller = new AbortController();
  const stop = () => controller.abort(new WaymarkError('cancelled', 'The import was cancelled.'));
  process.once('SIGINT', stop);
  let done: ImportResult;
  try {
    done = await importResearchGym(context.store, context.author, path, {
      title: filled(args.values.title, '--title', mostTitle),
      task: args.values.task ?? null,
      again: args.values.again,
      read,
      signal: controller.signal,
    });
  } finally {
    process.off('SIGINT', stop);
  }
  const parts = [counted(done.steps, 'step'), counted(done.segments, 'segment'), counted(done.hints, 'hint')];
  return {
    json: done,
    lines: [
      `Imported as run ${done.run}: ${done.title}`,
      parts.join(', '),
      ...done.replaced.map(
        (run) => `Removed run ${run}, left over from an unfinished import of these files.`,
      ),
      ...(done.left.length === 0 ? [] : ['Not imported:', ...done.left.map((line) => `  ${line}`)]),
    ],
  };
}
