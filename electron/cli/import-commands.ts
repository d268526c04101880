import { resolve } from 'node:path';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { counted } from './counted';
import type { CommandResult } from './output';

/** `import PATH`: a log of another system becomes a run; nothing of it is driven. */
export async function importCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const path = resolve(required(args.words[1], 'The file or folder to import'));
  oneOf(args.values.format, ['researchgym'], 'researchgym', '--format');
  const done = await importResearchGym(context.store, context.author, path, {
    title: args.values.title ?? null,
    task: args.values.task ?? null,
    again: args.values.again,
  });
  const parts = [counted(done.steps, 'step'), counted(done.segments, 'segment'), counted(done.hints, 'hint')];
  return {
    json: done,
    lines: [
      `Imported as run ${done.run}: ${done.title}`,
      parts.join(', '),
      ...done.replaced.map((run) => `Removed run ${run}, which a broken-off import of these files had left.`),
      ...(done.left.length === 0 ? [] : ['Not taken over:', ...done.left.map((line) => `  ${line}`)]),
    ],
  };
}
