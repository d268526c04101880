import type { WaymarkError } from '@shared/contract/errors';
import type { VerifyReport } from '@shared/contract/views';
import { removeAt } from '../files/remove';
import { hostsOf } from '../runs/sessions/clean-sessions';
import type { Arguments } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted } from './output';

/** `verify`: exit code 1 when a problem was found; `--logs` looks at what was recorded alone. */
export async function verifyCommand(context: CliContext, { values }: Arguments): Promise<CommandResult> {
  return verified(await context.reader.verify(undefined, depthOf(values)));
}

/** `verify` of a workspace that could not be opened; `refusal` is a problem as well, should nothing else be found. */
export async function verifyUnopened(
  folder: string,
  { values }: Arguments,
  refusal: WaymarkError,
): Promise<CommandResult> {
  const [{ verifyWorkspace }, { createProjector }] = await Promise.all([
    import('../store/verify/verify'),
    import('../store/projections/projector'),
  ]);
  const report = await verifyWorkspace(folder, createProjector(), undefined, depthOf(values));
  if (!report.ok) return verified(report);
  const { code, message, detail } = refusal;
  return verified({
    ...report,
    ok: false,
    workspace: [{ what: code, where: 'workspace.db', message, detail }],
  });
}

function depthOf(values: Arguments['values']): 'all' | 'logs' {
  return values.logs ? 'logs' : 'all';
}

function verified(report: VerifyReport): CommandResult {
  const problems = [...report.workspace, ...report.runs.flatMap((run) => run.problems)];
  const known = report.runs.flatMap((run) => run.known ?? []);
  const lines = [...problems, ...known].map(({ what, where, message }) => `${what} at ${where}: ${message}`);
  if (report.ok) {
    const but =
      known.length === 0 ? '' : ` except for ${counted(known.length, 'known loss', 'known losses')}`;
    const here = report.runs.filter(({ purged }) => purged !== 'run').length;
    const gone = report.runs.length - here;
    const before = gone === 0 ? '' : ` Removed before: ${counted(gone, 'run')}.`;
    return {
      json: report,
      lines: [...lines, `All is well${but}: ${counted(here, 'run')} verified.${before}`],
    };
  }
  const restore = problems.some(({ what }) => !LESSER.has(what))
    ? ['"restore" copies what is intact to a new folder and leaves this one unchanged.']
    : [];
  return {
    json: report,
    lines: [...lines, `${counted(problems.length, 'problem')} found.`, ...restore],
    exitCode: 1,
  };
}

/** What a restored workspace would not be better for. */
const LESSER: ReadonlySet<string> = new Set([
  ...['left_over', 'unfinished', 'session_short', 'workspace_newer'],
  'import_unfinished',
]);

/**
 * `clean`: closes sessions that ended runs left behind, removes their spools and files that killed processes left in the
 * workspace; nothing that was recorded is touched.
 */
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
  for (const folder of removed.folders) await removeAt(folder, { kind: 'folder' });
  const { closed, folders, notReached } = removed;
  const unused = await context.store.writer.clean();
  const broken = runs.filter(({ state }) => state === 'import_broken');
  return {
    json: {
      sessionsClosed: closed,
      foldersRemoved: folders.length,
      filesDeleted: unused.files,
      bytesFreed: unused.bytes,
      notReached,
      importsUnfinished: broken.map(({ id }) => id),
    },
    lines: [
      closed + folders.length === 0
        ? 'No session and no folder was left behind.'
        : `Closed ${counted(closed, 'session')} and removed ${counted(folders.length, 'folder')}.`,
      ...(unused.files === 0
        ? []
        : [
            `Deleted ${counted(unused.files, 'file')} of texts that nothing uses (${counted(unused.bytes, 'byte')}).`,
          ]),
      ...broken.map(
        ({ id, title }) =>
          `The import of run ${id} ("${title}") was not finished; it was left in place. Import the same files again to replace it, or remove it with "run remove".`,
      ),
      ...notReached.map(({ run, host, message }) => `Not reached: ${host} (run ${run}). ${message}`),
    ],
    ...(notReached.length > 0 ? { exitCode: 1 as const } : {}),
  };
}
