import { WaymarkError } from '@shared/contract/errors';
import { unreadableRun } from '../store/log/unreadable-run';
import type { Arguments } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted } from './output';
import { named } from './run-commands';

/**
 * `rebuild`: derives what is kept about runs from their logs again, and the search index with `--search`. What is recorded
 * is not touched; it can be broken off and begun again at any time. Runs that cannot be read are named at the end, exit code 1.
 */
export async function rebuildCommand(
  context: CliContext,
  { words, values }: Arguments,
): Promise<CommandResult> {
  const { store, reader, terminal } = context;
  const asked = await Promise.all(words.slice(1).map((word) => named(context, word)));
  const runs = asked.length > 0 ? asked : (await reader.runs()).map(({ id }) => id);
  const rebuilt: { run: string; changed: number }[] = [];
  const unreadable: { run: string; code: string; message: string }[] = [];
  const unsubscribe = store.subscribe((notice) => {
    if (notice.kind === 'rebuild') {
      terminal.err(`${notice.run}  ${notice.done} of ${counted(notice.of, 'event')}`);
    } else if (notice.kind === 'index' && values.search) {
      terminal.err(`search index: ${counted(notice.behind, 'step')} left`);
    }
  });
  try {
    for (const run of runs) {
      const lock = store.lockRun(run);
      if (lock === null) {
        throw new WaymarkError(
          'run_driven_elsewhere',
          `Run ${run} is driven by another process. Pause it, then rebuild again.`,
        );
      }
      try {
        rebuilt.push({ run, ...(await store.writer.rebuild(run)) });
      } catch (thrown) {
        const notice = unreadableRun(run, thrown);
        if (notice === null) throw thrown;
        unreadable.push({ run, code: notice.code, message: notice.message });
      } finally {
        lock.release();
      }
    }
    if (values.search) {
      await store.writer.rebuildSearch();
      await store.drain();
    }
  } finally {
    unsubscribe();
  }
  return {
    json: { runs: rebuilt, unreadable, search: values.search },
    lines: [
      ...rebuilt.map(({ run, changed }) =>
        changed === 0
          ? `${run}  matches its log`
          : `${run}  ${counted(changed, 'row')} did not match its log and ${changed === 1 ? 'was' : 'were'} rebuilt`,
      ),
      ...(values.search ? ['The search index was rebuilt.'] : []),
      ...unreadable.map(({ run, message }) => `${run}  was not rebuilt: ${message}`),
    ],
    ...(unreadable.length === 0 ? {} : { exitCode: 1 }),
  };
}
