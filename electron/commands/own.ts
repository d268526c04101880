import type { KnownComputer } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import type {
  OwnTerminalCommand,
  OwnTerminalEvents,
  OwnTerminalOutput,
  OwnTerminalParsed,
} from '@shared/contract/ipc/own-terminal';
import type { OwnPlace, ownCommands } from '@shared/contract/ipc/terminals';
import type { Hosts } from '../computer/hosts';
import { LocalComputer } from '../computer/local/local-computer';
import { inside } from '../files/inside';
import { OwnTerminals } from '../own-terminals/own-terminals';
import type { Workbench, WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

/**
 * Where the person's own terminals are: the folder below a workspace's `spools`, beside runs, and the namespace of their sessions
 * on a host. No run has this name, and what cleans up after runs passes it over.
 */
const ownFolder = 'own';

type OwnHandlers = HandlersOf<typeof ownCommands>;

/** One function per command of the view. */
export type OwnTerminalHandlers = {
  [C in OwnTerminalCommand]: (input: OwnTerminalParsed<C>) => Promise<OwnTerminalOutput<C>>;
};
type OwnViewHandlers = Pick<OwnTerminalHandlers, Extract<OwnTerminalCommand, `own.${string}`>>;

/** Where own terminals are shown and typed into (`electron/app/own-terminal-pane.ts`). */
export interface OwnPane {
  place(place: OwnPlace | null): Promise<{ wasIn: boolean }>;
  /** @throws WaymarkError refused while it is not on the screen */
  enter(): Promise<void>;
}

export interface OwnTerminalDeskOptions {
  holder: Pick<WorkbenchHolder, 'require'>;
  hosts: Hosts;
  settings: { readonly current: { computers: readonly KnownComputer[] } };
  /** The list of terminals is another one, or what one of them does. */
  changed(): void;
  frame(frame: OwnTerminalEvents['live.own']): void;
  resourcesDir: string;
  log: { error(message: string, data?: Record<string, unknown>): void };
}

/** The person's terminals of the workspace that is open; those of another are let go of and live on. */
export class OwnTerminalDesk {
  private readonly options: OwnTerminalDeskOptions;
  private readonly stopHealth: () => void;
  private open: { bench: Workbench; terminals: Promise<OwnTerminals> } | null = null;

  constructor(options: OwnTerminalDeskOptions) {
    this.options = options;
    this.stopHealth = options.hosts.onHealth((changed) => {
      // A failure to open is told to whoever asked.
      this.open?.terminals.then((terminals) => terminals.linksChanged(changed)).catch(() => undefined);
    });
  }

  /** @throws WaymarkError refused while no workspace is open */
  async current(): Promise<OwnTerminals> {
    const bench = this.options.holder.require();
    if (this.open?.bench !== bench) {
      const before = this.letGo();
      this.open = { bench, terminals: before.then(() => this.start(bench)) };
    }
    const open = this.open;
    try {
      return await open.terminals;
    } catch (thrown) {
      // The next one who asks tries again.
      if (this.open === open) this.open = null;
      throw thrown;
    }
  }

  /** Names of the person's terminals on a computer, as far as they are known now. */
  async namesOn(computer: string): Promise<string[]> {
    const terminals = await this.open?.terminals.catch(() => null);
    return (terminals?.list() ?? []).filter((each) => each.computer === computer).map(({ name }) => name);
  }

  /** Lets go of links and watchers; the terminals live on. */
  async dispose(): Promise<void> {
    this.stopHealth();
    await this.letGo();
  }

  private async letGo(): Promise<void> {
    const open = this.open;
    this.open = null;
    // What could not be opened needs no letting go.
    const terminals = await open?.terminals.catch(() => null);
    await terminals?.dispose();
  }

  private start(bench: Workbench): Promise<OwnTerminals> {
    const { hosts, settings, changed, frame, resourcesDir, log } = this.options;
    const folder = inside(bench.folder, 'spools', ownFolder);
    return OwnTerminals.open({
      folder,
      computer: (name) => {
        if (name === 'local') return new LocalComputer({ name, sessionsDir: folder, resourcesDir });
        const known = settings.current.computers.find(({ alias }) => alias === name);
        if (known === undefined) return null;
        return hosts.computer({ name, alias: name, transport: known.transport, namespace: ownFolder });
      },
      changed,
      frame,
      failed: (terminal, error) =>
        log.error(`A terminal of the person's own could not be followed`, { terminal, error: String(error) }),
    });
  }
}

/** What the window's page may do with the person's own terminals. `workspaceRoot` finds where a run's files are. */
export function ownTerminalHandlers(
  desk: Pick<OwnTerminalDesk, 'current'>,
  holder: Pick<WorkbenchHolder, 'require'>,
  pane: OwnPane,
): OwnHandlers {
  return {
    'own.list': async () => (await desk.current()).list(),
    'own.open': async ({ computer, run, rows, cols }) => {
      const terminals = await desk.current();
      const cwd = run === null ? null : await workspaceRoot(holder, run);
      return terminals.open({ computer, cwd, rows, cols });
    },
    'own.place': async (place) => pane.place(place),
    'own.enter': async () => pane.enter(),
  };
}

/** What only their own view may do with them: type, read, and whatever changes them. */
export function ownViewHandlers(desk: Pick<OwnTerminalDesk, 'current'>): OwnViewHandlers {
  return {
    'own.read': async ({ id, offset, maxBytes, live }) =>
      (await desk.current()).read(id, offset, maxBytes, live),
    'own.watch': async ({ ids }) => (await desk.current()).watch(ids),
    'own.seen': async ({ id, offset }) => (await desk.current()).seen(id, offset),
    'own.write': async ({ id, bytes }) => (await desk.current()).write(id, bytes),
    'own.resize': async ({ id, rows, cols }) => (await desk.current()).resize(id, rows, cols),
    'own.close': async ({ id }) => (await desk.current()).close(id),
  };
}

/** Where the agent's files of a run are, as its log says; null for a run that was removed meanwhile. */
async function workspaceRoot(holder: Pick<WorkbenchHolder, 'require'>, run: string): Promise<string | null> {
  try {
    const [created] = await holder.require().store.reader.events(run, 1, 1);
    return created?.kind === 'run.created' ? created.body.workspaceRoot : null;
  } catch (thrown) {
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') return null;
    throw thrown;
  }
}
