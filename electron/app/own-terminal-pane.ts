import { join } from 'node:path';
import type { LinkHealth, OwnTerminal } from '@shared/contract/computers';
import { type Result, toFailure, WaymarkError } from '@shared/contract/errors';
import {
  type OwnTerminalEvents,
  type OwnTerminalState,
  ownTerminalCommands,
  ownTerminalConsents,
} from '@shared/contract/ipc/own-terminal';
import type { OwnPlace } from '@shared/contract/ipc/terminals';
import { ownTerminalPage } from '@shared/contract/own-terminal-page';
import type { Settings } from '@shared/contract/settings';
import type { BrowserWindow } from 'electron';
import { nativeTheme, session } from 'electron';
import { SerialQueue } from '../base/serial-queue';
import { answerFrom } from '../commands/dispatch';
import {
  type OwnPane,
  type OwnTerminalDesk,
  type OwnTerminalHandlers,
  ownViewHandlers,
} from '../commands/own';
import { Gestures } from '../ipc/gestures';
import { createPublisher, type Publisher } from '../ipc/publish';
import { type Answering, type Asking, registerCommands } from '../ipc/register';
import { type OverWindow, openOverWindow } from './over-window';
import { boundsWithin } from './own-terminal-bounds';
import { ownTerminalOrigin, serveFiles } from './protocol';
import { lockSession, trustsSender } from './security';
import { groundColour, pagePreferences, type WindowOptions } from './window';

/** After it was shown or moved a click into the view was meant for what was there before, ms. */
const settleMs = 500;

export interface OwnTerminalPaneParts {
  options: WindowOptions;
  window(): BrowserWindow | null;
  desk: Pick<OwnTerminalDesk, 'current'>;
  /** Null for a computer that nothing is known of. */
  health(alias: string): LinkHealth | null;
  settings: { readonly current: Settings };
  openExternal(url: string): Promise<void>;
  /** The person pressed a key in the view that stands for this command of the window. */
  left(command: string): void;
  violated(report: unknown): void;
  log: { error(message: string, data?: Record<string, unknown>): void };
}

/**
 * The view in which a person's own terminals are shown and typed into: contents of their own in a session and process of
 * their own, over the room that the window's page leaves for them. The page says where and which, and nothing else. What a
 * page that was taken over could do with that is bounded here:
 * - The view lies above everything the page paints and is opaque, so nothing can be drawn over it or read through it.
 * - It has the keyboard only while it is on the screen, large enough to be seen and with the same terminal as when it got it;
 *   else the keyboard goes back to the page. So nobody types blind, or into another shell than the one they went into.
 * - It gets the keyboard by a click into it, or from the page right after a press that main saw.
 * - A click that follows a move of the view within half a second does nothing in it: it was meant for what was there.
 * - It writes the terminal's name itself.
 */
export class OwnTerminalPane implements OwnPane, Answering {
  private readonly parts: OwnTerminalPaneParts;
  private readonly gestures = new Gestures(undefined, ownTerminalConsents);
  private readonly publisher: Publisher<OwnTerminalEvents> = createPublisher(
    () => this.over?.contents ?? null,
  );
  private readonly handlers: OwnTerminalHandlers;
  private over: OverWindow | null = null;
  private preparing: Promise<void> | null = null;
  /** The terminal in the view, which keeps its screen while it is hidden for a moment. */
  private id: string | null = null;
  /** Whether the view is on the screen. */
  private seen = false;
  /** The zoom that the view was last given; another one is what its person chose in it. */
  private zoomGiven = 1;
  private movedAt = Number.NEGATIVE_INFINITY;
  private enteredAt = Number.NEGATIVE_INFINITY;
  private readonly turns = new SerialQueue();

  constructor(parts: OwnTerminalPaneParts) {
    this.parts = parts;
    this.handlers = {
      ...ownViewHandlers(parts.desk),
      'view.state': () => this.state(),
      'view.leave': async ({ command }) => {
        this.parts.window()?.webContents.focus();
        this.parts.left(command);
      },
      'view.sized': async () => this.takeZoom(),
      'view.openExternal': ({ url }) => parts.openExternal(url),
    };
  }

  trusts(event: Asking): boolean {
    const { devServer } = this.parts.options;
    return trustsSender(event, this.over?.contents ?? null, devServer, ownTerminalOrigin);
  }

  answer(name: unknown, input: unknown): Promise<Result<unknown>> {
    return this.gestures.guard(name, () =>
      answerFrom(ownTerminalCommands, this.handlers, name, input, (command, { message, detail }) =>
        this.parts.log.error(`Command ${command} failed: ${message}`, { detail }),
      ),
    );
  }

  violated(report: unknown): void {
    this.parts.violated(report);
  }

  frame(frame: OwnTerminalEvents['live.own']): void {
    this.publisher.publish('live.own', frame);
  }

  /** A terminal, its link or a setting is another one. */
  changed(): void {
    this.over?.ground(groundColour());
    this.publisher.publish('view.changed', {});
  }

  /** In the order in which they are told: the first waits until the view is made. */
  place(place: OwnPlace | null): Promise<{ wasIn: boolean }> {
    return this.turns.run(() => this.placeNow(place));
  }

  private async placeNow(place: OwnPlace | null): Promise<{ wasIn: boolean }> {
    const window = this.parts.window();
    if (window === null) return { wasIn: false };
    if (place !== null) await this.prepare(window);
    const zoom = window.webContents.zoomFactor;
    const [width = 0, height = 0] = window.getContentSize();
    const bounds = place === null ? null : boundsWithin(place, zoom, { width, height });
    const id = place?.id ?? null;
    const other = id !== this.id;
    const wasIn = (other || bounds === null) && this.hasKeyboard();
    // The keyboard leaves first: no key may come to a view that is no longer seen, or shows something else.
    if (wasIn) window.webContents.focus();
    this.id = id;
    this.seen = bounds !== null;
    if (bounds === null) this.over?.hide();
    else {
      this.over?.contents.setZoomFactor(zoom);
      this.zoomGiven = this.over?.contents.zoomFactor ?? zoom;
      this.over?.show(bounds);
    }
    this.movedAt = performance.now();
    this.publisher.publish('view.moved', {});
    if (other) this.changed();
    return { wasIn };
  }

  /** After the room that was told before it. */
  enter(): Promise<void> {
    return this.turns.run(() => this.enterNow());
  }

  private enterNow(): void {
    if (!this.seen || this.over === null)
      throw new WaymarkError('refused', 'No terminal of yours is on the screen.');
    this.enteredAt = performance.now();
    this.over.contents.focus();
  }

  /** The page of the window begins anew, and knows of no room for a terminal. */
  forget(): void {
    this.id = null;
    this.seen = false;
    this.over?.hide();
  }

  /** The window is closed, and the view with it. */
  dispose(): void {
    this.over?.dispose();
    this.over = null;
    this.id = null;
    this.seen = false;
  }

  private hasKeyboard(): boolean {
    return this.over?.contents.isFocused() === true;
  }

  private async state(): Promise<OwnTerminalState> {
    const { desk, health, settings } = this.parts;
    const { theme, language, keys } = settings.current;
    const id = this.id;
    let terminal: OwnTerminal | null = null;
    if (id !== null) terminal = (await desk.current()).list().find((each) => each.id === id) ?? null;
    const alias = terminal === null || terminal.computer === 'local' ? null : terminal.computer;
    return {
      terminal,
      health: alias === null ? null : health(alias),
      settings: { theme, language, keys },
    };
  }

  /**
   * The menu's zoom is that of whatever has the keyboard; page and view are one window to a person. A size that comes from the
   * zoom that the page gave to the view is no choice of theirs: the page may have another one again by now.
   */
  private async takeZoom(): Promise<void> {
    const page = this.parts.window()?.webContents;
    const zoom = this.over?.contents.zoomFactor;
    if (!this.hasKeyboard() || page === undefined || zoom === undefined || zoom === this.zoomGiven) return;
    this.zoomGiven = zoom;
    page.setZoomFactor(zoom);
  }

  /** Made when a terminal is shown for the first time, so that a window without one costs nothing. */
  private async prepare(window: BrowserWindow): Promise<void> {
    this.preparing ??= this.lock();
    await this.preparing;
    if (this.over !== null || window.isDestroyed()) return;
    const { mainDir, devServer } = this.parts.options;
    const over = openOverWindow(window, {
      ...pagePreferences(mainDir, ownTerminalPage),
      partition: ownTerminalPage,
    });
    this.over = over;
    const { contents } = over;
    over.ground(groundColour());
    this.gestures.watch(contents);
    contents.on('focus', () => {
      if (this.enteredAt < this.movedAt && performance.now() - this.movedAt < settleMs)
        this.parts.window()?.webContents.focus();
    });
    contents.on('render-process-gone', (_event, { reason }) => {
      this.parts.log.error('The view of own terminals crashed and is loaded again', { reason });
      if (!contents.isDestroyed()) contents.reload();
    });
    const page = `${devServer ?? ownTerminalOrigin}/index.html#${ownTerminalPage}`;
    contents
      .loadURL(page)
      .catch((thrown: unknown) =>
        this.parts.log.error('The view of own terminals did not load', { ...toFailure(thrown) }),
      );
  }

  /** Once for the process: its session gets what the window's has, its files and its commands. */
  private async lock(): Promise<void> {
    const { mainDir, devServer } = this.parts.options;
    const own = session.fromPartition(ownTerminalPage);
    void serveFiles(own.protocol, ownTerminalOrigin, join(mainDir, '..', 'renderer'));
    await lockSession(own, devServer);
    registerCommands(Promise.resolve(this), ownTerminalPage);
    nativeTheme.on('updated', () => this.changed());
  }
}
