import { join } from 'node:path';
import { type Failure, toFailure } from '@shared/contract/errors';
import { crossesAsText, type Reply } from '@shared/contract/ipc';
import type { BrowserWindow } from 'electron';
import { app, nativeTheme } from 'electron';
import { version } from '../../package.json';
import { resourcesFolder } from '../application-folders';
import { systemClock, systemLinkClock } from '../clock';
import { answerCommand, type Handlers } from '../commands/dispatch';
import { relay } from '../commands/relay';
import { ExportJobs } from '../dataset/jobs/export-jobs';
import { exportApart } from '../dataset/jobs/export-thread';
import { FindingsThreads } from '../dataset/jobs/findings-threads';
import { Gestures } from '../ipc/gestures';
import { createPublisher, type Publisher } from '../ipc/publish';
import type { Answering, Asking } from '../ipc/register';
import { TerminalPump } from '../ipc/terminal-pump';
import { NamedAddresses } from '../named-addresses';
import { openWorkbench } from '../open-workbench';
import { RemoteDesk } from '../remote/remote-desk';
import type { SecretScanner } from '../secrets/scanner';
import { defaultWorkspace, type SettingsFile } from '../settings-file';
import type { StoreThreads } from '../store/threads/store-thread';
import { WorkbenchHolder } from '../workbench';
import { type AppArguments, readArguments } from './arguments';
import { askUnisolated } from './ask-unisolated';
import { closeInTurn } from './close-in-turn';
import { writeDiagnostics } from './diagnostics';
import { Dialogs, dialogWords } from './dialogs';
import { createHandlers } from './handlers';
import type { HostReportFile } from './host-report-file';
import { type KeptState, openKept } from './kept-state';
import type { KeyStore } from './key-store';
import type { FileLog } from './log';
import { installMenu, menuWords } from './menu';
import { noticeWords } from './notice-words';
import { PolicyViolations } from './policy-violations';
import { PowerKeeper } from './power';
import { RunNotices } from './run-notices';
import { trustsSender } from './security';
import { SmokeWatch, sinceStart, smoke, whenUsable } from './smoke';
import { applicationInfo, systemNotices, systemPower } from './this-system';
import { type ApplicationInput, openWindow } from './window';
import { WindowHosts } from './window-hosts';
import { type WindowOwnTerminals, windowOwnTerminals } from './window-own-terminals';
import { WorkspaceTroubles } from './workspace-troubles';

/** The desktop application: window, workspace, dialogs, power, and how it ends. */
export class Application implements Answering {
  private readonly input: ApplicationInput;
  private readonly args: AppArguments;
  private readonly settings: SettingsFile;
  private readonly keys: KeyStore;
  private readonly log: FileLog;
  private readonly scanner: SecretScanner;
  private readonly holder: WorkbenchHolder;
  private readonly exports: ExportJobs;
  private readonly findings = new FindingsThreads();
  private readonly hosts: WindowHosts;
  private readonly own: WindowOwnTerminals;
  private readonly reports: HostReportFile;
  private readonly toWindow: Publisher = createPublisher(() => this.window?.webContents ?? null);
  /** While the window shows a workspace of a server, this machine's own is not heard. */
  private readonly publisher: Publisher = {
    publish: (event, payload) => {
      if (this.remote.letsPass(event)) this.toWindow.publish(event, payload);
    },
  };
  private readonly remote: RemoteDesk;
  private readonly pump = new TerminalPump(this.publisher);
  private readonly dialogs: Dialogs;
  private readonly power: PowerKeeper;
  private readonly notices: RunNotices;
  private readonly timings: Record<string, number> = {};
  private readonly gestures = new Gestures();
  private readonly handlers: Handlers;
  private window: BrowserWindow | null = null;
  private opening: Promise<void> = Promise.resolve();
  private readonly troubles: WorkspaceTroubles;
  private readonly violations: PolicyViolations;
  private stopRelay: (() => void) | null = null;
  private quitting: 'no' | 'asking' | 'yes' = 'no';

  /** Begins to open the workspace: what the window asks first must find that under way. */
  static async create(input: ApplicationInput): Promise<Application> {
    const application = new Application(input, await openKept(input.data, input.environment));
    await application.begin();
    return application;
  }

  private constructor(input: ApplicationInput, { settings, keys, log, scanner, reports }: KeptState) {
    this.input = input;
    this.args = readArguments(input.argv, process.env);
    this.settings = settings;
    this.keys = keys;
    this.log = log;
    this.scanner = scanner;
    this.violations = new PolicyViolations(log);
    this.troubles = new WorkspaceTroubles(this.publisher, log);
    this.reports = reports;
    this.dialogs = new Dialogs(
      () => this.window,
      () => dialogWords[this.language()],
      () => this.gestures.note(),
    );
    let threads: StoreThreads | undefined = input.threads;
    this.holder = new WorkbenchHolder((folder, trusted) => {
      const first = threads;
      threads = undefined;
      return this.openWorkbench(folder, trusted, first);
    });
    this.exports = new ExportJobs({
      run: exportApart(),
      clock: systemClock,
      tell: (job) => this.publisher.publish('export.progress', { job }),
      written: () => this.publisher.publish('datasets.changed', {}),
      sources: () => {
        const { annotator, computers } = this.settings.current;
        return { held: this.scanner.held(), settings: { annotator, computers } };
      },
    });
    this.notices = new RunNotices({
      settings: () => this.settings.current.notifications,
      words: () => noticeWords[this.language()],
      away: () => !this.window?.isFocused(),
      clock: systemLinkClock,
      show: systemNotices(this.args.smoke),
      open: (run, step) => {
        this.raise();
        this.publisher.publish('attention.open', { run, step });
      },
      failed: (error) => this.log.info('A run gave no notification', { error: String(error) }),
    });
    this.hosts = new WindowHosts({
      resourcesDir: this.resourcesDir,
      publisher: this.publisher,
      asked: (prompt) => {
        const words = dialogWords[this.language()];
        this.notices.needed(words.hostAsks(prompt.via ?? prompt.alias));
      },
    });
    this.own = windowOwnTerminals({
      holder: this.holder,
      hosts: this.hosts.hosts,
      settings,
      log,
      publisher: this.publisher,
      resourcesDir: this.resourcesDir,
      options: input.windowOptions,
      window: () => this.window,
      openExternal: (url) => this.dialogs.openExternal(url),
      noted: () => this.gestures.note(),
      violated: (report) => this.violations.note(report),
    });
    this.remote = new RemoteDesk({
      data: input.data,
      version,
      settings,
      log,
      hosts: this.hosts.hosts,
      transport: this.hosts.transport,
      prompts: this.hosts.prompts,
      publisher: this.toWindow,
    });
    this.power = new PowerKeeper({
      source: systemPower,
      now: Date.now,
      onWake: () => {
        this.hosts.hosts.retryNow();
        this.remote.retryNow();
      },
      driven: () => this.driven(),
      wanted: () => this.settings.current.keepAwake,
      changed: (state) => this.publisher.publish('power.changed', state),
      onBattery: () => this.notices.say(dialogWords[this.language()].onBattery),
      onResume: (ms) => {
        if (this.driven() > 0)
          this.notices.say(dialogWords[this.language()].stoodStill(Math.round(ms / 60_000)));
      },
    });
    this.handlers = askUnisolated(this.remote.route(this.localHandlers()), (why) =>
      this.dialogs.mayRunUnisolated(this.remote.status()?.alias ?? null, why),
    );
  }

  violated(report: unknown): void {
    this.violations.note(report);
  }

  trusts(event: Asking): boolean {
    const { devServer } = this.input.windowOptions;
    return trustsSender(event, this.window?.webContents ?? null, devServer);
  }

  async answer(name: unknown, input: unknown): Promise<Reply> {
    const answer = () =>
      answerCommand(this.handlers, name, input, (command, failure) =>
        this.log.error(`Command ${command} failed: ${failure.message}`, { detail: failure.detail }),
      );
    const answered = await this.gestures.guard(name, answer);
    return answered.ok && crossesAsText(name) ? { ok: true, text: JSON.stringify(answered.value) } : answered;
  }

  private get resourcesDir(): string {
    return resourcesFolder(this.input.windowOptions.mainDir);
  }

  private async begin(): Promise<void> {
    this.timings.ready = sinceStart();
    this.settings.subscribe((settings) => {
      nativeTheme.themeSource = settings.theme;
      this.publisher.publish('settings.changed', settings);
      this.own.pane.changed();
      this.menu();
      this.power.update();
    });
    nativeTheme.themeSource = this.settings.current.theme;
    this.adopt(this.input.window);
    this.menu();
    if (this.args.smoke)
      await this.settings.set({ annotator: { ...this.settings.current.annotator, name: 'Smoke' } });
    await this.remote.reopen();
    const fallback = this.args.smoke ? join(this.args.out, 'workspace') : this.settings.current.workspace;
    const known = this.args.workspace ?? fallback;
    if (known !== null) this.opening = this.openKnown(known);
  }

  /** Waits for the workspace; with `--smoke` runs the demo, looks, and exits. */
  async run(): Promise<void> {
    const watch = this.args.smoke ? new SmokeWatch(this.args.out, this.timings, this.log) : null;
    await this.opening;
    if (this.args.reportUsable && this.window) {
      await whenUsable(this.window);
      process.stdout.write(`usable ${sinceStart()}\n`);
    }
    if (!watch) return;
    await this.smoke(watch).catch((thrown) => {
      process.stderr.write(`The smoke run failed: ${toFailure(thrown).message}\n`);
      return this.end(1);
    });
  }

  /** Shows the window, opening it again when it was closed. */
  raise(): void {
    if (this.window && !this.window.isDestroyed()) {
      if (this.window.isMinimized()) this.window.restore();
      this.window.focus();
      return;
    }
    this.adopt(openWindow(this.input.windowOptions));
  }

  private adopt(window: BrowserWindow): void {
    if (window.isDestroyed()) return;
    this.window = window;
    this.gestures.watch(window.webContents);
    window.webContents.on('render-process-gone', (_event, details) => {
      this.log.error('The window crashed and is loaded again', { reason: details.reason });
      if (!window.isDestroyed()) window.webContents.reload();
    });
    window.webContents.on('did-start-loading', () => this.own.pane.forget());
    window.once('ready-to-show', () => {
      this.timings.windowShown ??= sinceStart();
    });
    window.on('closed', () => {
      this.own.pane.dispose();
      this.window = null;
    });
  }

  /** Closing the window keeps driving; with nothing to drive the application ends. */
  windowClosed(): void {
    if (this.driven() === 0) app.quit();
    else this.notices.say(dialogWords[this.language()].stillDriving(this.driven()));
  }

  mayQuit(): boolean {
    return this.quitting === 'yes';
  }

  /** Asks when runs are driven; then pauses them, closes the workspace and ends the process. */
  async quit({ ask = true }: { ask?: boolean } = {}): Promise<void> {
    if (this.quitting === 'asking' && ask) return;
    if (ask && this.driven() > 0) {
      this.quitting = 'asking';
      if (!(await this.dialogs.confirmQuit(this.driven()))) {
        this.quitting = 'no';
        if (!this.window) this.raise();
        return;
      }
    }
    if (this.quitting === 'yes') return;
    this.quitting = 'yes';
    await this.end(0);
  }

  private async end(code: number): Promise<void> {
    this.power.dispose();
    this.notices.dispose();
    this.stopRelay?.();
    // In reverse order of their making.
    await closeInTurn(this.log, [
      ['The workspace on a server', () => this.remote.dispose()],
      ['Own terminals', () => this.own.desk.dispose()],
      ['Exports', () => this.exports.close()],
      ['Search for secrets', () => this.findings.close()],
      ['The workspace', () => this.holder.close()],
      ['Links to hosts', () => this.hosts.dispose()],
    ]);
    app.exit(code);
  }

  private driven(): number {
    return this.holder.current?.engine.drivenRuns().length ?? 0;
  }

  private language(): 'en' | 'zh' {
    const chosen = this.settings.current.language;
    if (chosen !== 'system') return chosen;
    return app.getLocale().toLowerCase().startsWith('zh') ? 'zh' : 'en';
  }

  private async openWorkbench(folder: string, trusted: boolean, threads?: StoreThreads) {
    let still: Failure | null = null;
    const bench = await openWorkbench(folder, {
      settings: this.settings,
      data: this.input.data,
      findKey: (endpoint, env, origin) => this.keys.find(endpoint, env, origin),
      addresses: new NamedAddresses(this.input.data),
      scanner: this.scanner,
      isKeyLocked: (endpoint) => this.keys.isLocked(endpoint),
      resourcesDir: this.resourcesDir,
      hosts: this.hosts.hosts,
      log: this.log,
      store: { threads },
      readOnly: trusted ? false : 'from-elsewhere',
      orStill: (why) => (still = toFailure(why)),
      demoPaceMs: this.args.demoPaceMs,
    });
    this.troubles.opened(still);
    this.stopRelay?.();
    const stopNotices = this.notices.watch(bench.store);
    const stopRelay = relay(bench, {
      publisher: this.publisher,
      pump: this.pump,
      problem: this.troubles.problem,
      unreadable: this.troubles.isUnreadable,
      runChanged: () => this.power.update(),
    });
    this.stopRelay = () => {
      stopNotices();
      stopRelay();
    };
    return bench;
  }

  private async openKnown(folder: string): Promise<void> {
    try {
      await this.holder.open(folder);
    } catch (thrown) {
      this.troubles.current = toFailure(thrown);
      this.log.error('The workspace could not be opened', { folder, ...this.troubles.current });
    }
    this.publisher.publish('run.listChanged', {});
  }

  private menu(): void {
    installMenu(menuWords[this.language()], (command) => {
      this.gestures.note();
      this.publisher.publish('menu.command', { command });
    });
  }

  private localHandlers(): Handlers {
    return createHandlers({
      info: () => applicationInfo(this.args.smoke),
      holder: this.holder,
      settings: this.settings,
      keys: this.keys,
      dialogs: this.dialogs,
      pump: this.pump,
      publisher: this.publisher,
      exports: this.exports,
      findings: this.findings.run,
      hosts: this.hosts,
      reports: this.reports,
      terminals: this.own.desk,
      pane: this.own.pane,
      remote: this.remote,
      resourcesDir: this.resourcesDir,
      defaultFolder: defaultWorkspace(process.env),
      problem: () => this.troubles.current,
      unreadable: () => this.troubles.unreadable,
      changed: (status) => this.publisher.publish('workspace.changed', status),
      saveDiagnostics: () => this.saveDiagnostics(),
      power: () => this.power.state,
      held: () => this.scanner.held(),
      showing: (run) => this.notices.shows(run),
    });
  }

  private async saveDiagnostics(): Promise<string | null> {
    const path = await this.dialogs.saveFile('waymark-diagnostics.json');
    if (path === null) return null;
    const runs = (await this.holder.current?.store.reader.runs()) ?? [];
    await writeDiagnostics(path, {
      info: applicationInfo(this.args.smoke),
      settings: this.settings.current,
      runs,
      logFolder: this.log.folder,
      scanner: this.scanner,
    });
    return path;
  }

  private async smoke(watch: SmokeWatch): Promise<void> {
    const window = this.window;
    const bench = this.holder.current;
    if (!window || !bench) {
      process.stderr.write(`${this.troubles.current?.message ?? 'The smoke run needs a workspace.'}\n`);
      return this.end(1);
    }
    const ok = await smoke({
      window,
      workbench: bench,
      author: this.settings.current.annotator,
      resourcesDir: this.resourcesDir,
      out: this.args.out,
      runtime: applicationInfo(this.args.smoke).runtime,
      timings: this.timings,
      watch,
    });
    if (!ok)
      process.stderr.write(`The window does not show what the store holds: ${this.args.out}/smoke.json\n`);
    this.quitting = 'yes';
    await this.end(ok ? 0 : 1);
  }
}
