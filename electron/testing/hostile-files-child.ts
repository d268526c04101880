import { dirname } from 'node:path';
import { toFailure } from '@shared/contract/errors';
import { parseArguments } from '../cli/arguments';
import type { CliContext } from '../cli/context';
import { judgeVotes } from '../cli/judge/judge-votes';
import { readApart } from '../dataset/importers/import-thread';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import { restoreApart } from '../store/restore/restore-thread';
import { openStore } from '../store/threads/client';
import { alice } from './run-writer';

/** What a process says of itself when it has taken one hostile file, or refused it. */
export interface Measured {
  /** `taken`, or the code it was refused with. */
  outcome: string;
  message: string;
  /** Work of all threads, which is no less than the time it takes where nothing else runs; ms. */
  ms: number;
  /** Most memory the whole process had, threads included, bytes. */
  rss: number;
}

/**
 * A process that does one thing with one file of somebody else's, as window and command line do it, and says what it took.
 * Arguments: `import`, `merge`, `restore` or `votes`; the file; the workspace; a run of it.
 */
async function main(): Promise<void> {
  const [, entry = '', kind = '', path = '', folder = '', run = ''] = process.argv;
  const workerDir = dirname(entry);
  const store = await openStore(folder, { workerDir, ballastBytes: 0 });
  const works: Record<string, () => Promise<unknown>> = {
    import: () =>
      importResearchGym(store, alice, path, {
        title: null,
        task: null,
        again: true,
        read: readApart(workerDir),
      }),
    merge: () => store.writer.merge(path),
    restore: () => restoreApart({ backup: path, from: null, to: `${folder}-restored` }, { workerDir }),
    votes: () => {
      const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
      return judgeVotes(context, parseArguments(['label', 'judge', run, path]));
    },
  };
  const began = process.cpuUsage();
  const failure = await works[kind]?.().then(() => null, toFailure);
  const { user, system } = process.cpuUsage(began);
  const ms = (user + system) / 1000;
  await store.close();
  const measured: Measured = {
    outcome: failure?.code ?? 'taken',
    message: failure?.message ?? '',
    ms,
    rss: process.resourceUsage().maxRSS * 1024,
  };
  process.stdout.write(`${JSON.stringify(measured)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});
