import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  test as base,
  type ElectronApplication,
  _electron as electron,
  expect,
  type Page,
} from '@playwright/test';
import { electronLaunch, executableLaunch, giveToApplication } from '../scripts/launch.mjs';
import { ensurePackaged } from '../scripts/package-app.mjs';
import { commandLine } from './command-line';

/** A started application and its window. */
export interface Waymark {
  app: ElectronApplication;
  page: Page;
  /** Errors and warnings of the window's console, uncaught errors, and requests that left the application. */
  complaints: string[];
}

export interface StartOptions {
  args?: string[];
  env?: Record<string, string>;
  /** The packed application, in the variant that takes a debugger, instead of the built one. */
  packaged?: boolean;
}

export interface Place {
  /** Fresh folder that the application may write to; removed after the test. */
  folder: string;
  workspace: string;
  /** Settings, logs and keys of this test's installation. */
  data: string;
  /** Starts the application; more than once in a test is fine, one after the other. */
  start(options?: StartOptions): Promise<Waymark>;
  /** Answers the next system dialogs for a folder with this path. */
  answerFolder(app: ElectronApplication, path: string): Promise<void>;
  /** Answers the next system dialogs that ask where to save a file with this path. */
  answerSave(app: ElectronApplication, path: string): Promise<void>;
  /** Answers the next native questions with yes or no. */
  answerQuestion(app: ElectronApplication, answer: 'yes' | 'no'): Promise<void>;
  /** This test breaks the page's content policy on purpose; in any other it is a failure. */
  breaksPolicy(): void;
  /** What native questions said since the last `answerQuestion`. */
  questions(app: ElectronApplication): Promise<string[]>;
}

async function launch(folder: string, { args = [], env = {}, packaged }: StartOptions): Promise<Waymark> {
  const options = {
    args,
    env: {
      WAYMARK_DATA: join(folder, 'data'),
      WAYMARK_WORKSPACE: undefined,
      HOME: folder,
      LANG: 'en_US.UTF-8',
      ...env,
    },
  };
  const started = packaged
    ? executableLaunch((await ensurePackaged('e2e')).executable, options)
    : electronLaunch(options);
  const app = await electron.launch({ ...started, chromiumSandbox: true, timeout: 60_000 });
  const page = await app.firstWindow();
  await agreeToNoSandbox(app);
  const complaints: string[] = [];
  for (const each of app.windows()) watch(each, complaints);
  app.on('window', (each) => watch(each, complaints));
  return { app, page, complaints };
}

/** The window's page and the view of own terminals are watched alike. */
function watch(page: Page, complaints: string[]): void {
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    // Chrome 114 does not know it yet and says so of every page that is watched from its beginning.
    if (message.text() !== "Unrecognized Content-Security-Policy directive 'webrtc'.")
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  page.on('request', (request) => {
    if (!/^(app|data|blob|devtools):/.test(request.url())) complaints.push(`request to ${request.url()}`);
  });
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
}

/**
 * On a machine without a sandbox the system asks before each run on it. Tests about something else say yes, and go the same way with
 * and without bubblewrap; `answerQuestion` takes over from here.
 */
function agreeToNoSandbox(app: ElectronApplication): Promise<void> {
  return app.evaluate(({ dialog }) => {
    const ask = dialog.showMessageBox as (...given: unknown[]) => ReturnType<typeof dialog.showMessageBox>;
    dialog.showMessageBox = async (...given: unknown[]) => {
      const { message } = given.at(-1) as { message: string };
      const agrees = /without isolation\?$/.test(message);
      return agrees ? { response: 1, checkboxChecked: false } : ask.apply(dialog, given);
    };
  });
}

export const test = base.extend<{ place: Place }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from this pattern
  place: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-e2e-'));
    giveToApplication(folder);
    const running: ChildProcess[] = [];
    let mayBreakPolicy = false;
    await use({
      folder,
      workspace: join(folder, 'workspace'),
      data: join(folder, 'data'),
      start: async (options = {}) => {
        const waymark = await launch(folder, options);
        running.push(waymark.app.process());
        return waymark;
      },
      answerFolder: (app, path) =>
        app.evaluate(({ dialog }, answer) => {
          dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [answer] });
        }, path),
      answerSave: (app, path) =>
        app.evaluate(({ dialog }, answer) => {
          dialog.showSaveDialog = async () => ({ canceled: false, filePath: answer });
        }, path),
      answerQuestion: (app, answer) =>
        app.evaluate(
          ({ dialog }, response) => {
            const asked: string[] = [];
            Object.assign(dialog, { asked });
            dialog.showMessageBox = async (...given: unknown[]) => {
              const { message, detail } = given.at(-1) as { message: string; detail?: string };
              asked.push(`${message}\n${detail ?? ''}`);
              return { response, checkboxChecked: false };
            };
          },
          answer === 'yes' ? 1 : 0,
        ),
      breaksPolicy: () => {
        mayBreakPolicy = true;
      },
      questions: (app) => app.evaluate(({ dialog }) => (dialog as unknown as { asked: string[] }).asked),
    });
    for (const child of running) await quit(child);
    const broken = policyViolations(join(folder, 'data'));
    removeRuns({ folder, workspace: join(folder, 'workspace') });
    // A person's own terminals outlive the application too; each names its folder on its command line.
    spawnSync('pkill', ['-KILL', '-f', `${folder}/workspace/spools/own/`]);
    rmSync(folder, { recursive: true, force: true });
    if (!mayBreakPolicy) expect(broken).toEqual([]);
  },
});

/** What the page's content policy stopped, as the main process logged it. */
export function policyViolations(data: string): string[] {
  const log = join(data, 'logs', 'waymark.log');
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('The page broke its content policy'));
}

/** Ends an application that may have ended already; runs in it are paused without a question. */
async function quit(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Sessions outlive the application, so the runs they belong to are removed with them. */
function removeRuns(place: { folder: string; workspace: string }): void {
  if (!existsSync(place.workspace)) return;
  const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
  for (const { id } of runs) commandLine(place, 'run', 'remove', id);
}
