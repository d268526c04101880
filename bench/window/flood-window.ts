import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ElectronApplication, Page } from '@playwright/test';
import type { BenchHost } from '../ssh/bench-host';
import { application, give, prepareDemo } from './desktop';
import { echoOf, invokeCommand, readEcho, typeInto, watchEcho } from './in-page.mjs';
import { watchGrowth } from './memory';
import { openWindow } from './open-window';

/** What one flood did to the application. */
export interface WindowFlood {
  /** Most resident memory of the main process over what it had before, MB. */
  main: number;
  /** The same of the window's own process. */
  window: number;
  /** A key into another terminal of the host until its echo is there, ms. */
  echoes: number[];
  seconds: number;
}

export interface WindowFloods {
  /** The flood's terminal is a card, keys go into the one that is shown: until the echo is painted. */
  hidden: WindowFlood;
  /** The flood's terminal is shown: until the other one's echo is in the page. */
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
    const flood = await openTerminal(page, alias, null);
    const typed = await openTerminal(page, alias, flood);
    await page.keyboard.type('cat > /dev/null\n');
    const own = new OwnTerminals(bench, app, page, flood, command);
    const hidden = await own.flood('hidden', async () => {
      await page.evaluate(watchEcho, 'x');
      await page.keyboard.press('x');
      return (await page.evaluate(readEcho)) as number;
    });
    await show(page, flood);
    await page.evaluate(invokeCommand, { command: 'own.watch', input: { ids: [flood, typed] } });
    const { endOffset } = (await page.evaluate(invokeCommand, {
      command: 'own.read',
      input: { id: typed, offset: 0, maxBytes: 256 * 1024, live: 1_000_000 },
    })) as { endOffset: number };
    if (endOffset === 0) throw new Error('The terminal that is typed into printed nothing.');
    const shown = await own.flood('shown', async () => {
      // What a page types by itself counts only while somebody is there.
      await page.keyboard.press('Shift');
      return (await page.evaluate(echoOf, { id: typed, character: 'x' })) as number;
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
    private readonly page: Page,
    private readonly id: string,
    private readonly command: string,
  ) {}

  /** Floods the terminal and calls `echo` again and again until the command is over. */
  async flood(name: string, echo: () => Promise<number>): Promise<WindowFlood> {
    for (let warm = 0; warm < 5; warm += 1) await echo();
    const { main, window } = await processes(this.app);
    await sleep(settleMs);
    const growth = { main: watchGrowth(main), window: watchGrowth(window) };
    const begin = performance.now();
    await this.page.evaluate(typeInto, { id: this.id, text: `${this.command}; touch over-${name}\n` });
    let over = false;
    const ended = this.bench.host
      .shell(
        `for i in $(seq ${floodWithinSeconds * 10}); do [ -e over-${name} ] && exit; sleep 0.1; done; exit 1`,
      )
      .finally(() => {
        over = true;
      });
    const echoes: number[] = [];
    while (!over && echoes.length < maxKeys / 2) {
      echoes.push(await echo());
      await sleep(20 + Math.random() * 30);
    }
    await ended;
    const seconds = (performance.now() - begin) / 1000;
    // What is still on its way counts too.
    await sleep(settleMs);
    return { main: growth.main(), window: growth.window(), echoes, seconds };
  }
}

/** Opens a terminal and goes into it; `shown` is the one that is there before. Returns its id. */
async function openTerminal(page: Page, alias: string, shown: string | null): Promise<string> {
  await page.getByRole('button', { name: 'New terminal' }).click();
  await page.getByRole('menuitem', { name: `On ${alias}` }).click();
  const view = page.locator(`.terminal-view-own[data-ready=true]:not([data-terminal="${shown ?? ''}"])`);
  await view.waitFor();
  return (await view.getAttribute('data-terminal')) ?? '';
}

async function show(page: Page, id: string): Promise<void> {
  await page.locator(`[data-card="${id}"]`).click();
  await page.locator(`.terminal-view-own[data-ready=true][data-terminal="${id}"]`).waitFor();
}

async function processes(app: ElectronApplication): Promise<{ main: number; window: number }> {
  return app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return { main: process.pid, window: window?.webContents.getOSProcessId() ?? 0 };
  });
}
