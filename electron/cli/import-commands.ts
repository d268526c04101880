import { resolve } from 'node:path';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
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
  const parts = [count(done.steps, 'step'), count(done.segments, 'segment'), count(done.hints, 'hint')];
  return {
    json: done,
    lines: [
      `Imported as run ${done.run}: ${done.title}`,
      parts.join(', '),
      ...(done.left.length === 0 ? [] : ['Not taken over:', ...done.left.map((line) => `  ${line}`)]),
    ],
  };
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
