import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { plainDetail, WaymarkError } from '@shared/contract/errors';
import { version } from '../../package.json';
import type { Hosts } from '../computer/hosts';
import type { TakenEnvironment } from '../environment/taken-environment';
import { NamedAddresses } from '../named-addresses';
import { ServeSession } from '../serve/serve-session';
import { serveWorkspace } from '../serve/serve-workspace';
import { defaultWorkspace, type SettingsFile } from '../settings-file';
import type { Arguments } from './arguments';
import { headlessLog, type Terminal } from './output';

export interface ServeContext {
  settings: SettingsFile;
  hosts: Hosts;
  terminal: Terminal;
  resourcesDir: string;
  /** The command line's own script. */
  entry: string;
  environment: TakenEnvironment;
}

/**
 * `serve --stdio`: the workspace for a window at the other end of standard input and output, until they end. Standard
 * error is for people. @throws WaymarkError bad_input
 */
export async function serveCommand(context: ServeContext, { values }: Arguments): Promise<void> {
  if (!values.stdio) {
    throw new WaymarkError('bad_input', 'Only "serve --stdio" is known: a window starts it over SSH.');
  }
  const { settings, hosts, terminal, resourcesDir, entry, environment } = context;
  const { WAYMARK_WORKSPACE: named } = process.env;
  const defaultFolder = defaultWorkspace(process.env);
  const chosen = values.workspace || named || settings.current.workspace || defaultFolder;
  const folder = resolve(chosen.replace(/^~(?=\/|$)/, homedir()));
  const session = new ServeSession({
    input: process.stdin,
    output: process.stdout,
    version,
    open: (hello, publisher) =>
      serveWorkspace(hello, publisher, {
        folder,
        defaultFolder,
        settings,
        hosts,
        resourcesDir,
        entry,
        environment,
        addresses: new NamedAddresses(dirname(settings.path)),
        data: dirname(settings.path),
        log: headlessLog(terminal),
      }),
    report: (command, failure) =>
      terminal.err(`Command ${command} failed: ${failure.message} ${plainDetail(failure)}`.trim()),
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: string) => session.end(`Ended by ${signal}.`);
  for (const signal of signals) process.on(signal, onSignal);
  try {
    terminal.err(await session.run());
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    process.stdin.destroy();
  }
}
