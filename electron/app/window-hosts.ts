import type { HostPromptView } from '@shared/contract/computers';
import type { Hosts } from '../computer/hosts';
import { createHosts, createTransport } from '../computer/ssh/create-hosts';
import { PromptDesk } from '../computer/ssh/login/prompt-desk';
import type { Publisher } from '../ipc/publish';
import { sshConfigFile } from '../settings-file';

export interface WindowHostsOptions {
  resourcesDir: string;
  publisher: Publisher;
  /** A host asks a person something new, or an alarm was raised. */
  asked(prompt: HostPromptView): void;
}

/**
 * Hosts over SSH as the window has them: one pool for runs, tests and the person's own terminals, the desk their
 * questions go through, and the events by which the window hears of both. Lives as long as the application; nothing
 * is connected before somebody needs it.
 */
export class WindowHosts {
  readonly hosts: Hosts;
  readonly prompts = new PromptDesk();
  /** Channels besides those of the pool, with the same configuration and questions. */
  readonly transport: ReturnType<typeof createTransport>;
  private readonly stops: (() => void)[];

  constructor({ resourcesDir, publisher, asked }: WindowHostsOptions) {
    const configFile = sshConfigFile(process.env);
    this.transport = createTransport({ resourcesDir, configFile });
    this.hosts = createHosts({ resourcesDir, prompts: this.prompts, configFile });
    let known = new Set<string>();
    this.stops = [
      this.hosts.onHealth((health) => publisher.publish('computers.changed', { health })),
      this.prompts.subscribe((prompts) => {
        publisher.publish('prompts.changed', { prompts });
        for (const prompt of prompts) if (!known.has(prompt.id)) asked(prompt);
        known = new Set(prompts.map(({ id }) => id));
      }),
    ];
  }

  /** Closes the links and then declines what is still asked. Sessions on the hosts live on. */
  async dispose(): Promise<void> {
    for (const stop of this.stops) stop();
    await this.hosts.dispose();
    this.prompts.dispose();
  }
}
