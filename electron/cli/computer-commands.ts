import { existsSync } from 'node:fs';
import type { KnownComputer } from '@shared/contract/computers';
import {
  type HostReport,
  type HostResolution,
  hostAliasSchema,
  type StageView,
} from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import type { Hosts } from '../computer/hosts';
import { shortLine } from '../computer/ssh/untrusted-text';
import { refuseWhileDriven } from '../runs/drive/driven-on';
import type { SettingsFile } from '../settings-file';
import { workspaceFile } from '../store/file/workspace-file';
import { type Arguments, oneOf, required } from './arguments';
import { type CommandResult, type Terminal, table } from './output';

export interface ComputerCommands {
  settings: SettingsFile;
  hosts: Hosts;
  terminal: Terminal;
  /** The workspace that was named or opened last; null: there is none. */
  folder: string | null;
}

/** `computer …`: hosts of the user's ssh configuration that runs may use. They belong to the person, not to a workspace. */
export async function computerCommand(context: ComputerCommands, args: Arguments): Promise<CommandResult> {
  const [, verb, word] = args.words;
  switch (verb) {
    case 'list':
      return list(context.settings.current.computers);
    case 'add':
      return add(context, args, aliasOf(word));
    case 'test':
      return test(context, args, aliasOf(word));
    case 'remove':
      return remove(context, aliasOf(word));
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "computer ${verb ?? ''}". Run "waymark --help" for the commands.`,
      );
  }
}

function aliasOf(word: string | undefined): string {
  const parsed = hostAliasSchema.safeParse(required(word, 'The host'));
  if (parsed.success) return parsed.data;
  throw new WaymarkError('bad_input', `"${word}" ${parsed.error.issues[0]?.message}.`);
}

function list(computers: readonly KnownComputer[]): CommandResult {
  return {
    json: { computers },
    lines:
      computers.length === 0
        ? ['No computers yet. Add a host of your ssh configuration with: computer add ALIAS']
        : table(
            computers.map(({ alias, transport, addedAt }) => [
              ...[alias, transport, `added ${new Date(addedAt).toISOString().slice(0, 10)}`],
            ]),
          ),
  };
}

async function add(
  { settings, hosts, terminal }: ComputerCommands,
  args: Arguments,
  alias: string,
): Promise<CommandResult> {
  if (settings.current.computers.some((each) => each.alias === alias)) {
    throw new WaymarkError(
      'already_exists',
      `${alias} is in the list already. Test it with: computer test ${alias}`,
    );
  }
  const resolution = await hosts.resolve(alias);
  for (const line of resolutionLines(resolution)) terminal.err(line);
  const transport = transportFor(args, resolution, null);
  const report = args.values['no-test'] ? null : await tested(hosts, alias, transport, terminal);
  if (report !== null && !report.ok) {
    throw new WaymarkError(
      'computer_unavailable',
      `${alias} was not added: ${failureOf(report)} Fix it, or add it anyway with --no-test.`,
    );
  }
  const computer: KnownComputer = { alias, transport, addedAt: Date.now() };
  await settings.set({ computers: [...settings.current.computers, computer] });
  return {
    json: { computer, report },
    lines: [...(report === null ? [] : reportLines(report)), `Added ${alias} (${transport}).`],
  };
}

async function test(
  { settings, hosts, terminal }: ComputerCommands,
  args: Arguments,
  alias: string,
): Promise<CommandResult> {
  const known = settings.current.computers.find((each) => each.alias === alias)?.transport ?? null;
  const resolution = await hosts.resolve(alias);
  for (const line of resolutionLines(resolution)) terminal.err(line);
  const report = await tested(hosts, alias, transportFor(args, resolution, known), terminal);
  return {
    json: report,
    lines: report.ok ? [...reportLines(report), `${alias} is ready to use.`] : [failureOf(report)],
    ...(report.ok ? {} : { exitCode: 1 as const }),
  };
}

async function remove({ settings, folder }: ComputerCommands, alias: string): Promise<CommandResult> {
  const { computers } = settings.current;
  if (!computers.some((each) => each.alias === alias)) {
    throw new WaymarkError('not_found', `There is no computer "${alias}" in the list. See: computer list`);
  }
  await whileIdle(folder, alias);
  await settings.set({ computers: computers.filter((each) => each.alias !== alias) });
  return {
    json: { alias },
    lines: [`Removed ${alias} from the list. Sessions and files on the host stay as they are.`],
  };
}

/** As in the window: a host stays while a run of the workspace is driven on it. @throws WaymarkError refused */
async function whileIdle(folder: string | null, alias: string): Promise<void> {
  if (folder === null || !existsSync(workspaceFile(folder))) return;
  const { openStoreInProcess } = await import('../store/threads/in-process');
  const store = openStoreInProcess(folder, { readOnly: true });
  try {
    await refuseWhileDriven(store.reader, alias, 'Removing');
  } finally {
    await store.close();
  }
}

/** What was asked for, what holds already, or what the host needs. @throws WaymarkError unsupported, by name */
function transportFor(
  args: Arguments,
  { alias, needsOpenSsh }: HostResolution,
  known: KnownComputer['transport'] | null,
): KnownComputer['transport'] {
  const fallback = known ?? (needsOpenSsh.length > 0 ? 'openssh' : 'ssh2');
  const transport = oneOf(args.values.transport, ['ssh2', 'openssh'], fallback, '--transport');
  if (transport === 'ssh2' && needsOpenSsh.length > 0) {
    throw new WaymarkError(
      'unsupported',
      `${alias} needs what only the system's ssh client can do: ${needsOpenSsh.join(', ')}. Use --transport openssh.`,
    );
  }
  return transport;
}

async function tested(
  hosts: Hosts,
  alias: string,
  transport: KnownComputer['transport'],
  terminal: Terminal,
): Promise<HostReport> {
  const said = new Set<string>();
  const tell = (stages: readonly StageView[]) => {
    for (const stage of stages) {
      const key = `${stage.via ?? ''}/${stage.stage}`;
      if (stage.state === 'waiting' || stage.state === 'running' || said.has(key)) continue;
      said.add(key);
      terminal.err(stageLine(stage));
    }
  };
  const report = await hosts.test(alias, transport, tell, new AbortController().signal);
  tell(report.stages);
  return report;
}

const stageWords: Record<StageView['stage'], string> = {
  resolve: 'name',
  tcp: 'network',
  host_key: 'host key',
  auth: 'login',
  shell: 'shell',
  helper: 'helper',
  disk: 'disk',
  gpu: 'GPUs',
};
const stateWords: Record<StageView['state'], string> = {
  waiting: '    ',
  running: '... ',
  ok: 'ok  ',
  failed: 'FAIL',
  skipped: '-   ',
  warning: '!   ',
};

function stageLine({ stage, state, message, via, ms }: StageView): string {
  const where = via === null ? '' : `${via}: `;
  const took = ms === null ? '' : ` (${Math.round(ms)} ms)`;
  return `${stateWords[state]}  ${stageWords[stage].padEnd(9)} ${shortLine(where + message)}${took}`;
}

function resolutionLines({ alias, user, hostName, port, jumps, proxyCommand }: HostResolution): string[] {
  const by = jumps.length > 0 ? ` via ${jumps.join(', ')}` : '';
  const command = proxyCommand === null ? '' : `, through the command ${proxyCommand}`;
  return [shortLine(`${alias} is ${user}@${hostName}:${port}${by}${command}.`)];
}

function reportLines({ facts, limits }: HostReport): string[] {
  if (facts === null) return [...limits];
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(0)} GB`;
  const gpus = facts.gpus.map(({ name }) => shortLine(name));
  return [
    `${shortLine(facts.hostname)}: ${facts.cpus} CPUs, ${gigabytes(facts.memoryBytes)} of memory, ${gigabytes(facts.freeBytes)} free of ${gigabytes(facts.totalBytes)}.`,
    gpus.length === 0 ? 'No GPUs.' : `GPUs: ${gpus.join(', ')}.`,
    ...limits,
  ];
}

/** The stage that failed, and why. */
function failureOf({ alias, stages }: HostReport): string {
  const failed = stages.find(({ state }) => state === 'failed');
  return failed ? shortLine(failed.message) : `${alias} did not pass the test.`;
}
