import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exportDataset } from '../dataset/export-dataset';
import { hostsOf } from '../runs/clean-sessions';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import type { CommandResult } from './output';
import { named } from './run-commands';

/** `export`: writes a dataset folder; refuses undecided steps unless they are waived by name. */
export async function exportCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { values } = args;
  const runs = await Promise.all((values.run ?? []).map((word) => named(context, word)));
  const result = await exportDataset(context.reader, {
    format: oneOf(values.format, ['slime'], 'slime', '--format'),
    out: resolve(required(values.out, '--out')),
    runs: runs.length > 0 ? runs : 'all',
    undecided: oneOf(values.undecided, ['refuse', 'train', 'mask'], 'refuse', '--undecided'),
    preset: oneOf(values.preset, ['default', 'apollo'], 'default', '--preset'),
    ...(values.carried === undefined
      ? {}
      : { carried: oneOf(values.carried, ['once', 'paper'], 'once', '--carried') }),
    signal: new AbortController().signal,
  });
  return {
    json: result,
    lines: [
      `${result.rows} rows, ${result.trained} steps trained, ${result.masked} masked.`,
      ...result.dropped.map(({ reason, count }) => `Dropped ${count}: ${reason}`),
      ...result.files.map(({ path, bytes }) => `${path} (${bytes} bytes)`),
    ],
  };
}

/** `verify`: exit code 1 when a problem was found; `--logs` looks at what was recorded alone. */
export async function verifyCommand(context: CliContext, { values }: Arguments): Promise<CommandResult> {
  const report = await context.reader.verify(undefined, values.logs ? 'logs' : 'all');
  const problems = [...report.workspace, ...report.runs.flatMap((run) => run.problems)];
  return {
    json: report,
    lines: [
      ...problems.map(({ what, where, message }) => `${what} at ${where}: ${message}`),
      report.ok ? `All is well: ${report.runs.length} runs verified.` : `${problems.length} problems found.`,
    ],
    ...(report.ok ? {} : { exitCode: 1 as const }),
  };
}

/** `clean`: closes sessions that ended runs left behind and removes their spools; nothing that was recorded is touched. */
export async function cleanCommand(context: CliContext): Promise<CommandResult> {
  const runs = await context.reader.runs();
  const going = new Set(
    runs.filter(({ state }) => !['finished', 'stopped'].includes(state)).map(({ id }) => id),
  );
  // A run that was created meanwhile is not in the list, but its driver holds the lock.
  const alive = { has: (run: string) => going.has(run) || context.store.isDriven(run) };
  const distant = runs.filter(
    ({ id, computers }) => !alive.has(id) && computers.some(({ kind }) => kind === 'ssh'),
  );
  const hosts = await Promise.all(distant.map(({ id }) => hostsOf(context.reader, id)));
  // Files on a host stay until the run is removed: people may want what an ended run made.
  const wanted = hosts.flat().map((each) => ({ ...each, folder: null }));
  const removed = await context.engine.cleanSessions(alive, wanted);
  for (const folder of removed.folders) await rm(folder, { recursive: true, force: true });
  const { closed, folders, notReached } = removed;
  return {
    json: { sessionsClosed: closed, foldersRemoved: folders.length, notReached },
    lines: [
      `Closed ${closed} sessions and removed ${folders.length} folders.`,
      ...notReached.map(({ run, host, message }) => `Not reached: ${host} (run ${run}). ${message}`),
    ],
    ...(notReached.length > 0 ? { exitCode: 1 as const } : {}),
  };
}
