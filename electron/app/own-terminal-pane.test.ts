import { EventEmitter } from 'node:events';
import { commands } from '@shared/contract/ipc';
import { ownTerminalCommands } from '@shared/contract/ipc/own-terminal';
import { defaultSettings } from '@shared/contract/settings';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OwnTerminalPane } from './own-terminal-pane';

/** What of Electron the pane touches, with the keyboard in one of its contents. */
const stage = vi.hoisted(() => ({
  focused: null as unknown,
  views: [] as { webContents: unknown; bounds: unknown }[],
  listeners: new Map<string, (event: unknown, name: unknown, input: unknown) => Promise<unknown>>(),
}));

class Contents extends EventEmitter {
  readonly mainFrame: { url: string };
  zoomFactor = 1;
  constructor(url: string) {
    super();
    this.mainFrame = { url };
  }
  focus(): void {
    stage.focused = this;
    this.emit('focus');
  }
  isFocused = () => stage.focused === this;
  setZoomFactor(factor: number): void {
    this.zoomFactor = factor;
  }
  loadURL = async () => undefined;
  send = () => undefined;
  isDestroyed = () => false;
  isCrashed = () => false;
  close = () => undefined;
  press = () => this.emit('input-event', {}, { type: 'keyDown' });
}

vi.mock('electron', () => ({
  BrowserView: class {
    bounds: unknown = null;
    webContents = new Contents('app://own-terminal/index.html#own-terminal');
    constructor() {
      stage.views.push(this);
    }
    setBounds(bounds: unknown): void {
      this.bounds = bounds;
    }
    setBackgroundColor = () => undefined;
  },
  WebContentsView: class {},
  nativeTheme: { on: () => undefined, shouldUseDarkColors: true },
  session: {
    fromPartition: () => ({
      protocol: { registerStreamProtocol: () => undefined },
      setPermissionRequestHandler: () => undefined,
      setPermissionCheckHandler: () => undefined,
      setProxy: async () => undefined,
    }),
  },
  ipcMain: {
    handle: (channel: string, listener: never) => stage.listeners.set(channel, listener),
    on: () => undefined,
  },
}));

const room = { id: 't1', x: 100, y: 100, width: 400, height: 300 };
let page: Contents;
let shown: Set<unknown>;
let left: string[];
let written: string[];
let pane: OwnTerminalPane;
let terminals: { id: string; computer: string }[];

beforeEach(() => {
  stage.views.length = 0;
  page = new Contents('app://waymark/index.html');
  stage.focused = page;
  shown = new Set();
  left = [];
  written = [];
  terminals = [];
  const window = {
    webContents: page,
    getContentSize: () => [1280, 800],
    isDestroyed: () => false,
    addBrowserView: (view: unknown) => shown.add(view),
    removeBrowserView: (view: unknown) => shown.delete(view),
  };
  const desk = {
    list: () => terminals,
    write: async (id: string) => {
      written.push(id);
    },
  };
  pane = new OwnTerminalPane({
    options: { mainDir: '/x', icon: '', devServer: null, bounds: { width: 1280, height: 800 } },
    window: () => window as never,
    desk: { current: async () => desk as never },
    health: () => null,
    settings: { current: defaultSettings() },
    openExternal: async () => undefined,
    left: (command) => left.push(command),
    violated: () => undefined,
    log: { error: () => undefined },
  });
});

function view(): Contents {
  return stage.views[0]?.webContents as Contents;
}

async function send(from: Contents, name: unknown, input: unknown, frame: unknown = from.mainFrame) {
  const reply = await stage.listeners.get('own-terminal:command')?.(
    { sender: from, senderFrame: frame },
    name,
    input,
  );
  return reply as { ok: boolean; error?: { code: string } };
}

describe('who may ask', () => {
  it('is the main frame of the view on its own page, and nobody else', async () => {
    await pane.place(room);
    const { current } = { current: view() };
    expect(pane.trusts({ sender: current, senderFrame: current.mainFrame } as never)).toBe(true);
    expect(pane.trusts({ sender: page, senderFrame: page.mainFrame } as never)).toBe(false);
    expect(pane.trusts({ sender: current, senderFrame: { url: current.mainFrame.url } } as never)).toBe(
      false,
    );
    current.mainFrame.url = 'app://waymark/index.html';
    expect(pane.trusts({ sender: current, senderFrame: current.mainFrame } as never)).toBe(false);
  });

  it('has the commands of the view, and none of the window', async () => {
    const shared = Object.keys(ownTerminalCommands).filter((name) => Object.hasOwn(commands, name));
    expect(shared).toEqual([]);
    await pane.place(room);
    for (const name of Object.keys(commands)) {
      view().press();
      const { ok, error } = (await pane.answer(name, {})) as { ok: boolean; error?: { code: string } };
      expect([name, ok, error?.code]).toEqual([name, false, 'bad_input']);
    }
  });

  it('types only after a press in the view itself', async () => {
    await pane.place(room);
    const input = { id: 't1', bytes: new Uint8Array([10]) };
    expect(await pane.answer('own.write', input)).toMatchObject({ error: { code: 'refused' } });
    page.press();
    expect(await pane.answer('own.write', input)).toMatchObject({ error: { code: 'refused' } });
    expect(written).toEqual([]);
    view().press();
    expect(await pane.answer('own.write', input)).toMatchObject({ ok: true });
    expect(written).toEqual(['t1']);
  });

  it('a window that sends on the channel of the view is refused', async () => {
    const first = stage.listeners.has('own-terminal:command');
    await pane.place(room);
    expect(first || stage.listeners.has('own-terminal:command')).toBe(true);
    expect(await send(page, 'own.write', { id: 't1', bytes: new Uint8Array([10]) })).toMatchObject({
      error: { code: 'refused' },
    });
  });
});

describe('the zoom', () => {
  it('is taken from the view when its person changes it there', async () => {
    await pane.place(room);
    await pane.enter();
    view().setZoomFactor(1.5);
    await pane.answer('view.sized', undefined);
    expect(page.zoomFactor).toBe(1.5);
  });

  it('that the page gave is not given back to a page that has another one by now', async () => {
    await pane.place(room);
    await pane.enter();
    page.setZoomFactor(1.25);
    await pane.place({ ...room, x: 120 });
    page.setZoomFactor(1);
    await pane.answer('view.sized', undefined);
    expect(page.zoomFactor).toBe(1);
    await pane.place(room);
    expect(view().zoomFactor).toBe(1);
  });
});

describe('the keyboard', () => {
  it('is in the view only while the view is seen with the terminal it was entered for', async () => {
    await expect(pane.enter()).rejects.toMatchObject({ code: 'refused' });
    expect(await pane.place(room)).toEqual({ wasIn: false });
    await pane.enter();
    expect(stage.focused).toBe(view());
    expect(await pane.place({ ...room, x: 200 })).toEqual({ wasIn: false });
    expect(stage.focused).toBe(view());
    expect(await pane.place({ ...room, width: 20 })).toEqual({ wasIn: true });
    expect(stage.focused).toBe(page);
    expect(shown.size).toBe(0);
    await pane.place(room);
    await pane.enter();
    expect(await pane.place({ ...room, id: 't2' })).toEqual({ wasIn: true });
    expect(stage.focused).toBe(page);
    expect(shown.size).toBe(1);
    await pane.enter();
    expect(await pane.place(null)).toEqual({ wasIn: true });
    expect(stage.focused).toBe(page);
    expect(shown.size).toBe(0);
  });

  it('leaves a hidden view its terminal, and takes it from one that nobody looks at', async () => {
    terminals.push({ id: 't1', computer: 'local' });
    const state = async () => {
      const reply = (await pane.answer('view.state', undefined)) as { value: { terminal: unknown } };
      return reply.value.terminal;
    };
    expect(await state()).toBe(null);
    await pane.place(room);
    expect(await state()).toMatchObject({ id: 't1' });
    await pane.place({ ...room, width: 0 });
    expect(await state()).toMatchObject({ id: 't1' });
    await expect(pane.enter()).rejects.toMatchObject({ code: 'refused' });
    await pane.place(null);
    expect(await state()).toBe(null);
  });

  it('does not come by a click where the view has just been put', async () => {
    await pane.place(room);
    view().focus();
    expect(stage.focused).toBe(page);
  });

  it('goes back to the page by a key of the window, once for each press', async () => {
    await pane.place(room);
    await pane.enter();
    view().press();
    expect(await pane.answer('view.leave', { command: 'look.terminalWall' })).toMatchObject({ ok: true });
    expect(stage.focused).toBe(page);
    expect(left).toEqual(['look.terminalWall']);
    expect(await pane.answer('view.leave', { command: 'runs.stop' })).toMatchObject({ ok: false });
    expect(left).toHaveLength(1);
  });

  it('waits for the room that was told before it', async () => {
    const [, placed] = await Promise.all([pane.enter().catch(() => null), pane.place(room), pane.enter()]);
    expect(placed).toEqual({ wasIn: false });
    expect(stage.focused).toBe(view());
    expect(stage.views).toHaveLength(1);
  });
});
