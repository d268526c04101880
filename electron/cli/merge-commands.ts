import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MergeReport } from '@shared/contract/ipc/merge';
import { isDatabaseFile } from '../store/restore/backup-file';
import { type Arguments, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted } from './output';

/** `merge PATH`: takes over the annotation log of another workspace's folder or of an exported file. */
export async function mergeCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const path = resolve(required(args.words[1], 'The folder or file to merge'));
  const report = await context.store.writer.merge(path);
  return { json: report, lines: [...linesOf(report), ...restOf(path)] };
}

/** A backup holds more than what was taken. */
function restOf(path: string): string[] {
  if (!statSync(path).isFile() || !isDatabaseFile(path, 'Its labels were merged.')) return [];
  return [
    'Only its labels, comments, votes and assignments were merged. "restore" brings its hints and rule settings back as well, into a new folder.',
  ];
}

function linesOf({ from, added, known, kept, people, runs, disagreements }: MergeReport): string[] {
  if (added === 0 && kept.entries === 0) {
    return [`Nothing new in ${from}: its ${entries(known)} ${known === 1 ? 'is' : 'are'} here already.`];
  }
  const by = people.length === 0 ? '' : ` by ${people.join(', ')}`;
  return [
    added === 0
      ? `Merged nothing${known === 0 ? '' : `: ${entries(known)} ${known === 1 ? 'was' : 'were'} here already`}.`
      : `Merged ${entries(added)}${by} about ${counted(runs.length, 'run')}; ${known} were here already.`,
    disagreements === 0
      ? 'No new disagreements.'
      : `${disagreements} new ${disagreements === 1 ? 'disagreement' : 'disagreements'} to settle; nothing was overwritten.`,
    ...(kept.entries === 0
      ? []
      : [
          `Set aside ${entries(kept.entries)}: the steps are not in this workspace. They will count once they are, in ${kept.runs.length === 1 ? 'run' : 'runs'} ${kept.runs.join(', ')}.`,
        ]),
  ];
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`;
}

/** `label export --out FILE`: the whole annotation log, verbatim, for `merge` elsewhere. */
export async function exportLabels(context: CliContext, args: Arguments): Promise<CommandResult> {
  const file = resolve(required(args.values.out, '--out'));
  const count = await context.reader.exportAnnotations(file);
  return { json: { file, entries: count }, lines: [`Wrote ${entries(count)} to ${file}.`] };
}
