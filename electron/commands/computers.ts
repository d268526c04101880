import type { ComputerRow, HostPromptView, HostReport, KnownComputer } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import type { computerCommands } from '@shared/contract/ipc/computers';
import type { Settings } from '@shared/contract/settings';
import type { Hosts } from '../computer/hosts';
import type { PromptDesk } from '../computer/ssh/login/prompt-desk';
import type { Publisher } from '../ipc/publish';
import { refuseWhileDriven } from '../runs/drive/driven-on';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type ComputerHandlers = HandlersOf<typeof computerCommands>;

/** The last test of each host in this installation. */
export interface HostReports {
  get(alias: string): HostReport | null;
  put(report: HostReport): Promise<void>;
  /** Writes down what is known of the hosts that are added now, and forgets the rest. */
  keep(aliases: readonly string[]): Promise<void>;
}

export interface ComputerHandlerOptions {
  hosts: Hosts;
  settings: { readonly current: Settings; set(change: Partial<Settings>): Promise<Settings> };
  prompts: Pick<PromptDesk, 'open' | 'answer'>;
  /** Asks natively whether a host's key is recorded: the page's word alone trusts no host. */
  trustHostKey(prompt: HostPromptView): Promise<boolean>;
  reports: HostReports;
  publisher: Publisher;
  holder: Pick<WorkbenchHolder, 'current'>;
  /** The person's own terminals. */
  terminals: { namesOn(computer: string): Promise<string[]> };
  /** Our clock, ms since 1970. */
  now(): number;
}

/** Hosts reached over SSH: which there are, how they resolve, whether they work, and what they ask a person. */
export function computerHandlers(options: ComputerHandlerOptions): ComputerHandlers {
  const { hosts, settings, prompts, reports } = options;
  const tests = new Map<string, AbortController>();
  const known = () => settings.current.computers;
  const row = (computer: KnownComputer): ComputerRow => ({
    ...computer,
    health: hosts.health(computer.alias),
    report: reports.get(computer.alias),
  });
  const find = (alias: string): KnownComputer => {
    const computer = known().find((other) => other.alias === alias);
    if (computer) return computer;
    throw new WaymarkError('not_found', `The computer "${alias}" is not in the list. Add it first.`);
  };
  const save = async (computers: KnownComputer[]) => {
    await settings.set({ computers });
    await reports.keep(computers.map(({ alias }) => alias));
  };
  const whileIdle = async (alias: string, what: string) => {
    const reader = options.holder.current?.store.reader;
    if (reader !== undefined) await refuseWhileDriven(reader, alias, what);
  };
  /** A terminal that cannot be reached any more could not be closed either; where the host is away there is no choice. */
  const refuseWhileTerminals = async (alias: string) => {
    const { state } = hosts.health(alias);
    const names = state === 'good' || state === 'degraded' ? await options.terminals.namesOn(alias) : [];
    if (names.length === 0) return;
    throw new WaymarkError(
      'refused',
      `Terminals of yours are open on ${alias}: ${names.join(', ')}. Close them first.`,
    );
  };
  return {
    'computers.list': async () => known().map(row),
    'computers.health': async () => hosts.allHealth(),
    'computers.candidates': async () => {
      const added = new Set(known().map(({ alias }) => alias));
      return (await hosts.candidates()).filter((alias) => !added.has(alias));
    },
    'computers.resolve': ({ alias }) => hosts.resolve(alias),
    'computers.test': async ({ alias, transport }) => {
      tests.get(alias)?.abort(cancelled(alias));
      const controller = new AbortController();
      const { signal } = controller;
      tests.set(alias, controller);
      try {
        const report = await hosts.test(
          alias,
          transport,
          (stages) => {
            if (!signal.aborted) options.publisher.publish('computer.stage', { alias, stages });
          },
          signal,
        );
        signal.throwIfAborted();
        await reports.put(report);
        return report;
      } catch (thrown) {
        throw signal.aborted ? signal.reason : thrown;
      } finally {
        if (tests.get(alias) === controller) tests.delete(alias);
      }
    },
    'computers.cancelTest': async ({ alias }) => tests.get(alias)?.abort(cancelled(alias)),
    'computers.add': async ({ alias, transport }) => {
      if (known().some((other) => other.alias === alias)) {
        throw new WaymarkError(
          'already_exists',
          `${alias} is in the list already. Open its page to test it or to change how it is reached.`,
        );
      }
      const computer = { alias, transport, addedAt: options.now() };
      await save([...known(), computer]);
      return row(computer);
    },
    'computers.setTransport': async ({ alias, transport }) => {
      find(alias);
      await whileIdle(alias, 'Changing the connection of');
      const changed = { ...find(alias), transport };
      await save(known().map((other) => (other.alias === alias ? changed : other)));
      return row(changed);
    },
    'computers.remove': async ({ alias }) => {
      find(alias);
      await whileIdle(alias, 'Removing');
      await refuseWhileTerminals(alias);
      tests.get(alias)?.abort(cancelled(alias));
      await save(known().filter((other) => other.alias !== alias));
    },
    'computers.retryNow': async ({ alias }) => hosts.retryNow(alias),
    'computers.prompts': async () => prompts.open(),
    'computers.answer': async ({ id, answer }) => {
      const prompt = prompts.open().find((open) => open.id === id);
      const trusts = prompt?.kind === 'unknown_host_key' && answer !== null && 'trust' in answer;
      if (trusts && !(await options.trustHostKey(prompt)))
        throw new WaymarkError('cancelled', `The key of ${prompt.alias} was not recorded. It still asks.`);
      prompts.answer(id, answer);
    },
    'computers.networkChanged': async () => hosts.retryNow(),
  };
}

function cancelled(alias: string): WaymarkError {
  return new WaymarkError('cancelled', `The test of ${alias} was cancelled.`);
}
