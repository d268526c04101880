import { type ComputerSpec, type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody, NewEvent } from '@shared/log/events';
import type { RunFold } from '@shared/runs/run-fold';
import type { BackDeps } from '../../agent/until-back';
import type { ComputerUnavailable } from '../../computer/failures';
import { isHost } from '../../computer/hosts';
import { LocalComputer } from '../../computer/local/local-computer';
import type { Computer, SessionInfo } from '../../computer/port';
import { HostSite } from '../../task/host-site';
import { LocalSite } from '../../task/local-site';
import { prepareWorkspace, type SetupStep } from '../../task/reset';
import { setupSession } from '../../task/setup-session';
import type { Site } from '../../task/site';
import { persist } from './persist';

export interface SetUpOrder {
  spec: TaskSpec;
  created: EventBody<'run.created'>;
  /** The run's log so far. */
  fold: RunFold;
  /** The pinned copy of the package. */
  packageFolder: string;
  /** `<workspace>/runs/<run>` on this machine. */
  folder: string;
  computers: ReadonlyMap<string, Computer>;
  record(events: NewEvent[]): Promise<void>;
  back: BackDeps;
  signal: AbortSignal;
}

const terminal = { rows: 40, cols: 160 };
/** A piece of work that has not failed again by then goes on, ms. */
const GOES_ON_MS = 2_000;

/**
 * Prepares the workspace on the run's computers. Every step that is done becomes an event, the status says which one
 * runs, and a computer that is away is waited for. None of it is working time.
 * @throws WaymarkError refused, disk_full, cancelled; the signal's reason
 */
export async function setUp(order: SetUpOrder): Promise<void> {
  const { spec, packageFolder, folder, signal } = order;
  const status = new SetUpStatus(order);
  await prepareWorkspace({
    spec,
    packageFolder,
    signal,
    runFolder: folder,
    sites: sitesOf(order),
    onProgress: (steps) => status.told(steps),
    attempt: (work) => status.attempt(work),
  });
  await closeForgotten(order, status);
}

/** An application that ended right after the last step left the set-up's session open; before the first step it is no other. */
async function closeForgotten(order: SetUpOrder, status: SetUpStatus): Promise<void> {
  const { fold, computers, record } = order;
  if (fold.step > 0) return;
  for (const [uid, { computer: name, session }] of [...fold.sessions]) {
    const host = computers.get(name);
    if (session !== setupSession || host === undefined || !isHost(host)) continue;
    await status.attempt(async () => {
      if ((await host.sessions.find(session))?.id !== uid) return;
      const { exitCode, endOffset } = await host.sessions.close(session);
      await record([{ kind: 'session.ended', body: { computer: name, session, uid, exitCode, endOffset } }]);
    });
  }
}

/** The holder first, then every computer that has something of its own to prepare. */
function sitesOf(order: SetUpOrder): { site: Site; shares: boolean }[] {
  const { spec, created, fold } = order;
  const holder = workspaceHolder(spec);
  const seen = new Map(fold.probed?.computers.map((each) => [each.name, each]));
  const others = spec.computers.filter(({ name, evaluator }) => !evaluator && name !== holder.name);
  return [
    { site: siteOf(order, holder, created.workspaceRoot), shares: false },
    ...others.map((computer) => {
      const found = seen.get(computer.name);
      return {
        site: siteOf(order, computer, found?.root ?? created.workspaceRoot),
        shares: found?.sees !== false,
      };
    }),
  ];
}

function siteOf(order: SetUpOrder, computer: ComputerSpec, root: string): Site {
  const { packageFolder, folder, signal, fold, record } = order;
  const { name } = computer;
  const host = order.computers.get(name);
  if (host === undefined || !isHost(host)) {
    const within = host instanceof LocalComputer ? host.wrap() : [];
    return new LocalSite({ computer, packageFolder, signal, root, runFolder: folder, within });
  }
  return new HostSite({
    computer,
    host,
    root,
    packageFolder,
    signal,
    opened: async ({ id, name: session }: SessionInfo) => {
      if (fold.sessions.has(id)) return;
      const body = { computer: name, session, uid: id, ...terminal };
      await record([{ kind: 'session.opened', body }]);
    },
    closed: async ({ id, exitCode, endOffset }) => {
      const session = fold.sessions.get(id)?.session;
      if (session === undefined) return;
      await record([
        { kind: 'session.ended', body: { computer: name, session, uid: id, exitCode, endOffset } },
      ]);
    },
  });
}

/** Says in the run's status what is being prepared or waited for, and writes down what is done. */
class SetUpStatus {
  private said = '';
  private preparing = '';

  constructor(private readonly order: SetUpOrder) {}

  async told(steps: readonly SetupStep[]): Promise<void> {
    const { fold, record } = this.order;
    const done = steps.filter(
      ({ state, computer, id }) => state === 'done' && !fold.setup.has(`${computer}:${id}`),
    );
    const events = done.map(({ computer, id, title }): NewEvent => {
      return { kind: 'setup.done', body: { computer, id, title, message: '' } };
    });
    if (events.length > 0) await record(events);
    const at = steps.findIndex(({ state }) => state === 'running');
    const running = steps[at];
    if (running && this.takesTime(running)) {
      this.preparing = `Preparing ${running.computer}: ${running.title} (${at + 1} of ${steps.length}).`;
      await this.say('setup', this.preparing);
    }
  }

  /** Copying a few files here is over before anybody could read of it. */
  private takesTime({ computer, id }: SetupStep): boolean {
    const there = this.order.computers.get(computer);
    return (there !== undefined && isHost(there)) || id.startsWith('environment:');
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    const away = (error: ComputerUnavailable) => this.say('computer_unavailable', error.message);
    return persist({ ...this.order, away }, async (failures) => {
      // A command that goes on may run for hours after the link is back: until then nothing else would say so.
      const goesOn = failures === 0 ? undefined : setTimeout(() => this.goesOn(), GOES_ON_MS);
      try {
        return await work();
      } finally {
        clearTimeout(goesOn);
      }
    });
  }

  private goesOn(): void {
    // A log that takes nothing any more ends the set-up at its next step.
    if (this.preparing !== '') this.say('setup', this.preparing).catch(() => undefined);
  }

  private async say(reason: string, message: string): Promise<void> {
    if (this.said === message) return;
    this.said = message;
    await this.order.record([{ kind: 'run.status', body: { status: 'waiting_host', reason, message } }]);
  }
}
