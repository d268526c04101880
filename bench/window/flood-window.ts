import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ElectronApplication, Locator, Page } from '@playwright/test';
import type { BenchHost } from '../ssh/bench-host';
import { application, give, prepareDemo } from './desktop';
import { echoOf, invokeCommand, readEcho, readPainted, typeInto, watchEcho, watchKey } from './in-page.mjs';
import { watchGrowth } from './memory';
import { openWindow } from './open-window';

/** What one flood did to the application. */
export interface WindowFlood {
  /** Most resident memory of the main process over what it had before, MB. */
  main: number;
  /** The same of the process of the view that shows own terminals. */
  window: number;
  /** A key into another terminal of the host until its echo is there, ms. */
  echoes: number[];
  /** A key that changes nothing until the window has painted again, ms. */
  keys: number[];
  seconds: number;
}

export interface WindowFloods {
  /** The flood's terminal is a card, keys go into the one that is shown: until the echo is painted. */
  hidden: WindowFlood;
  /** The flood's terminal is shown: until the other one's echo is in the view. */
  shown: WindowFlood;
}

/** Keys in one line of a terminal, which is what its line discipline takes at most. */
const maxKeys = 1_000;
const settleMs = 2_000;
/** A flood that takes longer is a broken bench. */
const floodWithinSeconds = 600;

/** Two terminals of the person's own on the host, in the real window: `command` prints in one, keys go into the other. */
export async function floodInWindow(
  folder: string,
  bench: BenchHost,
  command: string,
): Promise<WindowFloods> {
  const { config, alias } = bench.target;
  await prepareDemo(folder, { computers: [{ alias, transport: 'ssh2', addedAt: Date.now() }] });
  give(dirname(config));
  const start = application(folder);
  const { app, page } = await openWindow({ ...start, env: { ...start.env, WAYMARK_SSH_CONFIG: config } });
  try {
    const flood = await openTerminal(app, page, alias, null);
    const typed = await openTerminal(app, page, alias, flood);
    const view = await viewOf(app);
    await view.keyboard.type('cat > /dev/null\n');
    const own = new OwnTerminals(bench, app, view, flood, command);
    const hidden = await own.flood('hidden', async () => {
      await view.evaluate(watchEcho, 'x');
      await view.keyboard.press('x');
      return (await view.evaluate(readEcho)) as number;
    });
    await page.locator(`[data-card="${flood}"]`).click();
    await terminalIn(view, `[data-terminal="${flood}"]`).waitFor();
    await view.evaluate(invokeCommand, { command: 'own.watch', input: { ids: [flood, typed] } });
    const { endOffset } = (await view.evaluate(invokeCommand, {
      command: 'own.read',
      input: { id: typed, offset: 0, maxBytes: 256 * 1024, live: 1_000_000 },
    })) as { endOffset: number };
    if (endOffset === 0) throw new Error('The terminal that is typed into printed nothing.');
    const shown = await own.flood('shown', async () => {
      // What a page types by itself counts only while somebody is there: the key before it.
      return (await view.evaluate(echoOf, { id: typed, character: 'x' })) as number;
    });
    return { hidden, shown };
  } finally {
    await app.close();
  }
}

class OwnTerminals {
  constructor(
    private readonly bench: BenchHost,
    private readonly app: ElectronApplication,
    private readonly view: Page,
    private readonly id: string,
    private readonly command: string,
  ) {}

  /** Floods the terminal and calls `echo` again and again until the command is over. */
  async flood(name: string, echo: () => Promise<number>): Promise<WindowFlood> {
    for (let warm = 0; warm < 5; warm += 1) {
      await this.key();
      await echo();
    }
    const { main, window } = await processes(this.app);
    await sleep(settleMs);
    const growth = { main: watchGrowth(main), window: watchGrowth(window) };
    const begin = performance.now();
    await this.view.evaluate(typeInto, { id: this.id, text: `${this.command}; touch over-${name}\n` });
    let over = false;
    const ended = this.bench.host
      .shell(
        `for i in $(seq ${floodWithinSeconds * 10}); do [ -e over-${name} ] && exit; sleep 0.1; done; exit 1`,
      )
      .finally(() => {
        over = true;
      });
    const echoes: number[] = [];
    const keys: number[] = [];
    while (!over && echoes.length < maxKeys / 2) {
      keys.push(await this.key());
      echoes.push(await echo());
      await sleep(20 + Math.random() * 30);
    }
    await ended;
    const seconds = (performance.now() - begin) / 1000;
    // What is still on its way counts too.
    await sleep(settleMs);
    return { main: growth.main(), window: growth.window(), echoes, keys, seconds };
  }

  private async key(): Promise<number> {
    await this.view.evaluate(watchKey);
    await this.view.keyboard.press('Shift');
    return (await this.view.evaluate(readPainted)) as number;
  }
}

/** Opens a terminal and goes into it; `shown` is the one that is there before. Returns its id. */
async function openTerminal(
  app: ElectronApplication,
  page: Page,
  alias: string,
  shown: string | null,
): Promise<string> {
  await page.getByRole('button', { name: 'New terminal' }).click();
  await page.getByRole('menuitem', { name: `On ${alias}` }).click();
  const terminal = terminalIn(await viewOf(app), `:not([data-terminal="${shown ?? ''}"])`);
  await terminal.waitFor();
  return (await terminal.getAttribute('data-terminal')) ?? '';
}

function terminalIn(view: Page, which: string): Locator {
  return view.locator(`.terminal-view-own[data-ready=true]${which}`);
}

/** The page of the view in which own terminals are shown; it is made with the first of them. */
async function viewOf(app: ElectronApplication): Promise<Page> {
  const isView = (page: Page) => page.url().startsWith('app://own-terminal/');
  return app.windows().find(isView) ?? app.waitForEvent('window', { predicate: isView });
}

async function processes(app: ElectronApplication): Promise<{ main: number; window: number }> {
  return app.evaluate(({ webContents }) => {
    const contents = webContents.getAllWebContents();
    const view = contents.find((each) => each.getURL().startsWith('app://own-terminal/'));
    return { main: process.pid, window: view?.getOSProcessId() ?? 0 };
  });
}
