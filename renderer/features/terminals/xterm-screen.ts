import '@xterm/xterm/css/xterm.css';
import { hasHiddenCharacters, visibleText } from '@shared/terminal/visible-text';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { call } from '../../api';
import { attempt } from '../../state/toasts';
import { scrollBarPx, terminalTheme } from './terminal-theme';

const scrollbackLines = 10_000;

export interface XtermOptions {
  rows: number;
  cols: number;
  /** Keys and answers go nowhere. */
  readOnly: boolean;
  /** Hidden characters were written out in what was copied. */
  copiedVisibly(): void;
}

/** One xterm.js in an element: only a view of bytes that came through the filter. */
export interface XtermScreen {
  readonly terminal: Terminal;
  readonly search: SearchAddon;
  /** Resolves when they are parsed. */
  write(bytes: Uint8Array): Promise<void>;
  /** A row of our own between the lines, which no output can imitate; `alarm` for what is lost. */
  note(text: string, alarm: boolean): Promise<void>;
  /** Copies the selection; false when there is none. */
  copy(): boolean;
  dispose(): void;
}

export function openXterm(element: HTMLElement, options: XtermOptions): XtermScreen {
  // The main process shows the whole address and asks before anything is opened.
  const openLink = (_event: MouseEvent, url: string) => {
    if (/^https?:\/\//i.test(url)) attempt(() => call('app.openExternal', { url }));
  };
  const terminal = new Terminal({
    rows: options.rows,
    cols: options.cols,
    disableStdin: options.readOnly,
    scrollback: scrollbackLines,
    overviewRuler: { width: scrollBarPx },
    fontSize: 12,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
    theme: terminalTheme(),
    allowProposedApi: true,
    linkHandler: { activate: openLink, allowNonHttpProtocols: false },
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  terminal.loadAddon(new WebLinksAddon(openLink));
  const search = new SearchAddon();
  terminal.loadAddon(search);
  terminal.open(element);
  const themes = new MutationObserver(() => {
    terminal.options.theme = terminalTheme();
  });
  themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });

  const selected = (): string | null => {
    if (!terminal.hasSelection()) return null;
    const text = terminal.getSelection();
    if (hasHiddenCharacters(text)) options.copiedVisibly();
    return visibleText(text);
  };
  const onCopy = (event: ClipboardEvent) => {
    const text = selected();
    if (text === null) return;
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopPropagation();
  };
  element.addEventListener('copy', onCopy, { capture: true });

  const write = (bytes: Uint8Array | string) =>
    new Promise<void>((resolve) => {
      terminal.write(bytes, resolve);
    });
  return {
    terminal,
    search,
    write,
    async note(text, alarm) {
      await write(terminal.buffer.active.cursorX > 0 ? '\x1b[0m\r\n\r\n' : '\x1b[0m\r\n');
      const marker = terminal.registerMarker(-1);
      const row = terminal.registerDecoration({ marker, width: terminal.cols });
      row?.onRender((box) => {
        box.className = `xterm-decoration terminal-hole ${alarm ? 'terminal-hole-lost' : ''}`;
        box.textContent = text;
      });
    },
    copy() {
      const text = selected();
      if (text !== null) attempt(() => navigator.clipboard.writeText(text));
      return text !== null;
    },
    dispose() {
      themes.disconnect();
      element.removeEventListener('copy', onCopy, { capture: true });
      terminal.dispose();
    },
  };
}
