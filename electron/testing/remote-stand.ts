import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { CommandInput } from '@shared/contract/ipc';
import { type CommandName, type CommandOutput, commands, type EventName } from '@shared/contract/ipc';
import type { RemoteStatus } from '@shared/contract/ipc/remote';
import { type Endpoint, settingsSchema } from '@shared/contract/settings';
import { answerCommand, type Handlers } from '../commands/dispatch';
import { RemoteDesk, type RemoteDeskParts } from '../remote/remote-desk';
import { eventually } from './deadline';
import { ScriptedPerson } from './ssh/prompts';

export const root = resolve(import.meta.dirname, '../..');
/** The command line as it is shipped. */
export const cliEntry = join(root, 'out', 'main', 'cli.js');

export function requireBuilt(): void {
  if (!existsSync(cliEntry)) throw new Error('The command line is built before tests: npm run build');
}

/** Runs the built command line on this machine; its answer. */
export async function waymark(environment: Record<string, string>, ...args: string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [cliEntry, ...args, '--json'], {
    env: { ...process.env, ...environment },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? 'null');
}

export interface RemoteWindowOptions {
  data: string;
  name: string;
  transport: RemoteDeskParts['transport'];
  endpoints?: Endpoint[];
}

/** The main process of one person's application, as far as a workspace on a server needs it; without a window. */
export class RemoteWindow {
  readonly events: { name: EventName; payload: unknown }[] = [];
  readonly errors: string[] = [];
  readonly desk: RemoteDesk;
  private readonly handlers: Handlers;

  constructor({ data, name, transport, endpoints = [] }: RemoteWindowOptions) {
    const settings = settingsSchema.parse({
      annotator: { uuid: `uuid-of-${name}`, name },
      device: `laptop-of-${name}`,
      endpoints,
    });
    this.desk = new RemoteDesk({
      data,
      version: 'test',
      transport,
      prompts: new ScriptedPerson(),
      settings: { current: settings },
      hosts: {
        resolve: () => Promise.reject(new Error('The stand names the transport itself.')),
      },
      publisher: { publish: (event, payload) => void this.events.push({ name: event, payload }) },
      log: { error: (message, facts) => void this.errors.push(`${message} ${JSON.stringify(facts)}`) },
    });
    Object.assign(settings, { computers: [{ alias: 'box', transport: 'ssh2', addedAt: 1 }] });
    const here = Object.keys(commands).map((command) => [
      command,
      () => Promise.reject(new Error(`${command} was answered by this machine.`)),
    ]);
    this.handlers = this.desk.route(Object.fromEntries(here) as Handlers);
  }

  /** As the window asks: parsed, answered, and thrown when it is a failure. */
  async ask<C extends CommandName>(command: C, input: CommandInput<C>): Promise<CommandOutput<C>> {
    const answer = await answerCommand(this.handlers, command, input, (name, failure) =>
      this.errors.push(`${name}: ${failure.message}`),
    );
    if (answer.ok) return answer.value as CommandOutput<C>;
    throw Object.assign(new Error(answer.error.message), answer.error);
  }

  heard(name: EventName): unknown[] {
    return this.events.filter((event) => event.name === name).map(({ payload }) => payload);
  }

  status(): RemoteStatus {
    const status = this.desk.status();
    if (status === null) throw new Error('No server is shown.');
    return status;
  }

  until(fact: string, test: (status: RemoteStatus) => boolean, deadlineMs?: number): Promise<RemoteStatus> {
    return eventually(fact, () => (test(this.status()) ? this.status() : null), deadlineMs);
  }
}
