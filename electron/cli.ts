import { constants, homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import { dataFolder, resourcesFolder } from './application-folders';
import { type Arguments, parseArguments } from './cli/arguments';
import { branchCommand, checkpointCommand } from './cli/checkpoint-commands';
import { computerCommand } from './cli/computer-commands';
import type { CliContext } from './cli/context';
import { cleanCommand, verifyCommand, verifyUnopened } from './cli/dataset-commands';
import { demoCommand } from './cli/demo-command';
import { experimentCommand } from './cli/experiment-commands';
import { exportCommand } from './cli/exports/export-commands';
import { findingsCommand } from './cli/exports/redaction-commands';
import { tokensCommand } from './cli/exports/token-commands';
import { guidelineCommand } from './cli/guideline-command';
import { calledAs, helpFor } from './cli/help';
import { hintCommand } from './cli/hint-commands';
import { importCommand } from './cli/import-commands';
import { judgeCommand } from './cli/judge/judge-commands';
import { labelCommand } from './cli/label-commands';
import { mergeCommand } from './cli/merge-commands';
import { type CommandResult, headlessLog, printFailure, printResult } from './cli/output';
import { ProcessTerminal } from './cli/process-terminal';
import { queueCommand } from './cli/queue-commands';
import { isReading } from './cli/reading-commands';
import { rebuildCommand } from './cli/rebuild-command';
import { restoreCommand } from './cli/restore-command';
import { rulesCommand } from './cli/rule-commands';
import { runCommand } from './cli/run-commands';
import { serveCommand } from './cli/serve-command';
import { sessionCommand } from './cli/session-commands';
import { statsCommand } from './cli/stats-commands';
import { stepCommand } from './cli/step-commands';
import { taskCommand } from './cli/task-commands';
import { processTerminal, TerminalPrompts } from './cli/terminal-prompts';
import { Troubles } from './cli/troubles';
import { versionCommand } from './cli/version-command';
import { completionCommand } from './cli/words/completion';
import type { Hosts } from './computer/hosts';
import { createHosts } from './computer/ssh/create-hosts';
import { keepOutOfCoreDumps } from './environment/core-dumps';
import { receivedKeys } from './environment/key-pipe';
import { takenEnvironment } from './environment/taken-environment';
import { NamedAddresses } from './named-addresses';
import { openWorkbench } from './open-workbench';
import { environmentKey } from './runs/engine-options';
import { SecretScanner } from './secrets/scanner';
import { SettingsFile, sshConfigFile } from './settings-file';
import { elsewhereMessage, trustedMay } from './store/file/read-only';
import { isFromElsewhere } from './store/file/workspace-file';

/** The headless twin of `main.ts`: the same engine under plain Node. */
/** Before anything is started: what has been started inherits no key. */
keepOutOfCoreDumps();
const environment = takenEnvironment(process.env, receivedKeys());
const scanner = new SecretScanner(() => Object.values(environment.taken()));
const terminal = new ProcessTerminal(process, (line) => scanner.redact(line));
const resourcesDir = resourcesFolder(__dirname);
const called = calledAs(process.env);

async function main(argv: string[]): Promise<number> {
  let json = argv.includes('--json');
  let troubles = new Troubles(terminal, false);
  try {
    const args = parseArguments(argv[0] === '--version' ? ['version', ...argv.slice(1)] : argv);
    troubles = new Troubles(terminal, args.values.wait);
    json = args.values.json;
    const asked = args.values.help || args.words[0] === 'help';
    if (asked || args.words.length === 0) {
      terminal.out(helpFor(args.words[0] === 'help' ? args.words.slice(1) : args.words, called));
      return asked ? 0 : 1;
    }
    if (args.words[0] === 'completion') return printResult(completionCommand(args.words[1]), json, terminal);
    if (args.words[0] === 'version') return printResult(versionCommand(), json, terminal);
    if (args.words[0] === 'guideline') return printResult(guidelineCommand(), json, terminal);
    if (args.words[0] === 'demo')
      return printResult(await demoCommand(args, resourcesDir, terminal), json, terminal);
    const result = await withHosts(args, troubles);
    troubles.end(null);
    return result === null ? 0 : printResult(result, json, terminal);
  } catch (thrown) {
    troubles.end(toFailure(thrown).code);
    return printFailure(thrown, json, terminal, troubles.said, called);
  }
}

/** Hosts are there for whoever needs one; nothing is connected before. Null: the output was not for people. */
async function withHosts(args: Arguments, troubles: Troubles): Promise<CommandResult | null> {
  const settings = await SettingsFile.open(dataFolder(process.env, process.platform));
  const prompts = new TerminalPrompts(processTerminal());
  const hosts = createHosts({
    resourcesDir,
    prompts,
    configFile: sshConfigFile(process.env),
  });
  try {
    if (args.words[0] === 'serve') {
      await serveCommand({ settings, hosts, terminal, resourcesDir, entry: __filename, environment }, args);
      return null;
    }
    if (args.words[0] === 'restore')
      return await restoreCommand(chosenFolder(args, settings), args, {
        device: settings.current.device,
        data: dirname(settings.path),
      });
    const asking = { hosts, prompts };
    if (args.words[0] === 'verify') return await verifyAnyway(args, settings, asking, troubles);
    return args.words[0] === 'computer'
      ? await computerCommand({ settings, hosts, terminal, folder: chosenFolder(args, settings) }, args)
      : await inWorkspace(args, settings, asking, troubles);
  } finally {
    await hosts.dispose();
  }
}

/** Hosts, and how the person at the terminal is asked. */
interface Asking {
  hosts: Hosts;
  prompts: TerminalPrompts;
}

/** A workspace that is too damaged to be opened is looked at as it is: what is damaged is what was asked. */
async function verifyAnyway(
  args: Arguments,
  settings: SettingsFile,
  asking: Asking,
  troubles: Troubles,
): Promise<CommandResult> {
  try {
    return await inWorkspace(args, settings, asking, troubles);
  } catch (thrown) {
    const folder = chosenFolder(args, settings);
    if (folder === null || !(thrown instanceof WaymarkError) || thrown.code !== 'workspace_corrupt')
      throw thrown;
    return verifyUnopened(folder, args, thrown);
  }
}

/** The workspace that was named, or the one opened last; null: there is none. */
function chosenFolder(args: Arguments, settings: SettingsFile): string | null {
  const chosen = args.values.workspace ?? process.env.WAYMARK_WORKSPACE ?? settings.current.workspace;
  return chosen ? resolve(chosen.replace(/^~(?=\/|$)/, homedir())) : null;
}

async function inWorkspace(
  args: Arguments,
  file: SettingsFile,
  { hosts, prompts }: Asking,
  troubles: Troubles,
): Promise<CommandResult> {
  const settings = file.current;
  const folder = chosenFolder(args, file);
  if (folder === null) {
    throw new WaymarkError(
      'bad_input',
      'No workspace was named. Add --workspace DIR, or set WAYMARK_WORKSPACE.',
    );
  }
  const readOnly =
    !args.values.trust && isFromElsewhere(folder, { device: settings.device, data: dirname(file.path) });
  if (readOnly && !isReading(args)) {
    const [family = '', verb = ''] = args.words;
    const what = `"${/^[a-z-]+$/.test(verb) ? `${family} ${verb}` : family}"`;
    throw new WaymarkError('read_only', `${elsewhereMessage(folder, what)} ${trustedMay}`);
  }
  const addresses = new NamedAddresses(dirname(file.path));
  const author = { uuid: settings.annotator.uuid, name: settings.annotator.name || 'command line' };
  const bench = await openWorkbench(folder, {
    settings: file,
    data: dirname(file.path),
    findKey: environmentKey(environment),
    addresses,
    scanner,
    resourcesDir,
    hosts,
    log: headlessLog(terminal),
    demoPaceMs: 0,
    brief: isBrief(args),
    readOnly,
    ...(isReading(args)
      ? {
          onlyReads: true,
          orStill: ({ code, message }) => terminal.err(`${code}: ${message} It is opened read-only.`),
        }
      : {}),
  });
  const context: CliContext = {
    folder,
    store: bench.store,
    reader: bench.store.reader,
    engine: bench.engine,
    settings,
    addresses,
    author,
    terminal,
    prompts,
    entry: __filename,
    resourcesDir,
    environment,
  };
  bench.store.subscribe((notice) => troubles.tell(notice));
  const stop = (why: string, signal: number) => () => {
    // A command that does something else than driving may not hear of it: what it has stored is stored.
    void bench.engine
      .shutdown({ mode: 'pause', why })
      .then(() => setTimeout(() => process.exit(128 + signal), STOP_GRACE_MS).unref());
  };
  process.once('SIGINT', stop(interrupted, constants.signals.SIGINT));
  process.once(
    'SIGTERM',
    stop('Paused because the process that drove it was asked to end.', constants.signals.SIGTERM),
  );
  try {
    return await command(context, args);
  } finally {
    await bench.close();
  }
}

/** For a command to end by itself once its runs are paused. */
const STOP_GRACE_MS = 3000;

/** As people know it. */
const interrupted = 'Paused by Ctrl C.';

/** Looks at a page of rows and ends. */
const brief = [
  'checkpoint list',
  'hint list',
  'run list',
  'run show',
  'session list',
  'step show',
  'task list',
];

function isBrief({ words }: Arguments): boolean {
  return brief.includes(words.slice(0, 2).join(' '));
}

function command(context: CliContext, args: Arguments): Promise<CommandResult> {
  switch (args.words[0]) {
    case 'task':
      return taskCommand(context, args);
    case 'run':
      return runCommand(context, args);
    case 'session':
      return sessionCommand(context, args);
    case 'step':
      return stepCommand(context, args);
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
    case 'judge':
      return judgeCommand(context, args);
    case 'stats':
      return statsCommand(context, args);
    case 'experiment':
      return experimentCommand(context, args);
    case 'import':
      return importCommand(context, args);
    case 'export':
      if (args.words[1] === 'findings') return findingsCommand(context, args);
      return args.words[1] === 'tokens' ? tokensCommand(context, args) : exportCommand(context, args);
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

void main(process.argv.slice(2)).then(async (code) => {
  await terminal.printed();
  process.exitCode = terminal.failed ? Math.max(code, 1) : code;
});
