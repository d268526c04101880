import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { type Arguments, helpText, parseArguments } from './cli/arguments';
import { branchCommand, checkpointCommand } from './cli/checkpoint-commands';
import { computerCommand } from './cli/computer-commands';
import type { CliContext } from './cli/context';
import { cleanCommand, exportCommand, verifyCommand } from './cli/dataset-commands';
import { demoCommand } from './cli/demo-command';
import { hintCommand } from './cli/hint-commands';
import { importCommand } from './cli/import-commands';
import { labelCommand } from './cli/label-commands';
import { mergeCommand } from './cli/merge-commands';
import { type CommandResult, headlessLog, printFailure, printResult, type Terminal } from './cli/output';
import { queueCommand } from './cli/queue-commands';
import { rebuildCommand } from './cli/rebuild-command';
import { rulesCommand } from './cli/rule-commands';
import { runCommand } from './cli/run-commands';
import { serveCommand } from './cli/serve-command';
import { sessionCommand } from './cli/session-commands';
import { statsCommand } from './cli/stats-commands';
import { taskCommand } from './cli/task-commands';
import { processTerminal, TerminalPrompts } from './cli/terminal-prompts';
import type { Hosts } from './computer/hosts';
import { createHosts } from './computer/ssh/create-hosts';
import { openWorkbench } from './open-workbench';
import { resourcesFolder } from './resources-folder';
import { dataFolder, SettingsFile, sshConfigFile } from './settings-file';

/** The headless twin of `main.ts`: the same engine under plain Node. */
const terminal: Terminal = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  write: (bytes) =>
    new Promise((resolve) => {
      process.stdout.write(bytes, (error) => resolve(!error));
    }),
};
const resourcesDir = resourcesFolder(__dirname);
// A reader that has seen enough, such as `head`, closes the pipe: not a bug, and the work still ends in order.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

async function main(argv: string[]): Promise<number> {
  let json = argv.includes('--json');
  try {
    const args = parseArguments(argv);
    json = args.values.json;
    const asked = args.values.help || args.words[0] === 'help';
    if (asked || args.words.length === 0) {
      terminal.out(helpText);
      return asked ? 0 : 1;
    }
    if (args.words[0] === 'demo')
      return printResult(await demoCommand(args, resourcesDir, terminal), json, terminal);
    const result = await withHosts(args);
    return result === null ? 0 : printResult(result, json, terminal);
  } catch (thrown) {
    return printFailure(thrown, json, terminal);
  }
}

/** Hosts are there for whoever needs one; nothing is connected before. Null: the output was not for people. */
async function withHosts(args: Arguments): Promise<CommandResult | null> {
  const settings = await SettingsFile.open(dataFolder(process.env, process.platform));
  const hosts = createHosts({
    resourcesDir,
    prompts: new TerminalPrompts(processTerminal()),
    configFile: sshConfigFile(process.env),
  });
  try {
    if (args.words[0] === 'serve') {
      await serveCommand({ settings, hosts, terminal, resourcesDir, entry: __filename }, args);
      return null;
    }
    return args.words[0] === 'computer'
      ? await computerCommand({ settings, hosts, terminal }, args)
      : await inWorkspace(args, settings, hosts);
  } finally {
    await hosts.dispose();
  }
}

async function inWorkspace(args: Arguments, file: SettingsFile, hosts: Hosts): Promise<CommandResult> {
  const settings = file.current;
  const chosen = args.values.workspace ?? process.env.WAYMARK_WORKSPACE ?? settings.workspace;
  if (!chosen) {
    throw new WaymarkError(
      'bad_input',
      'No workspace was named. Add --workspace DIR, or set WAYMARK_WORKSPACE.',
    );
  }
  const folder = resolve(chosen.replace(/^~(?=\/|$)/, homedir()));
  const author = { uuid: settings.annotator.uuid, name: settings.annotator.name || 'command line' };
  const bench = await openWorkbench(folder, {
    settings: file,
    findKey: (_name, env) => process.env[env] ?? null,
    resourcesDir,
    hosts,
    log: headlessLog(terminal),
    demoPaceMs: 0,
  });
  const context: CliContext = {
    folder,
    store: bench.store,
    reader: bench.store.reader,
    engine: bench.engine,
    settings,
    author,
    terminal,
    entry: __filename,
    resourcesDir,
  };
  const stop = () => void bench.engine.shutdown({ mode: 'pause' });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await command(context, args);
  } finally {
    await bench.close();
  }
}

function command(context: CliContext, args: Arguments): Promise<CommandResult> {
  switch (args.words[0]) {
    case 'task':
      return taskCommand(context, args);
    case 'run':
      return runCommand(context, args);
    case 'session':
      return sessionCommand(context, args);
    case 'hint':
      return hintCommand(context, args);
    case 'checkpoint':
      return checkpointCommand(context, args);
    case 'branch':
      return branchCommand(context, args);
    case 'merge':
      return mergeCommand(context, args);
    case 'label':
      return labelCommand(context, args);
    case 'queue':
      return queueCommand(context, args);
    case 'rules':
      return rulesCommand(context, args);
    case 'stats':
      return statsCommand(context, args);
    case 'import':
      return importCommand(context, args);
    case 'export':
      return exportCommand(context, args);
    case 'verify':
      return verifyCommand(context, args);
    case 'rebuild':
      return rebuildCommand(context, args);
    case 'clean':
      return cleanCommand(context);
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "${args.words[0]}". Run "waymark --help" for the commands.`,
      );
  }
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
