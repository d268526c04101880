import '@xterm/xterm/css/xterm.css';
import { hasHiddenCharacters, visibleText } from '@shared/terminal/visible-text';
import { type ISearchOptions, SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { attempt } from '../../state/toasts';
import { scrollBarPx, terminalTheme } from './terminal-theme';

const scrollbackLines = 10_000;
/** Matches that are marked; beyond them a terminal counts no further. */
export const searchLimit = 1000;

export interface XtermOptions {
  rows: number;
  cols: number;
  /** Keys and answers go nowhere. */
  readOnly: boolean;
  /** Hidden characters were written out in what was copied. */
  copiedVisibly(): void;
  /** A web address in it was chosen. Main shows the whole of it and asks before anything is opened. */
  openLink(url: string): void;
}

/** Search in what a terminal has scrolled through. */
export interface TerminalSearch {
  find(text: string, direction: 1 | -1): void;
  clear(): void;
  /** `at`: the match that is marked, from 0, -1 when there are too many to count; `of`: how many there are. */
  onFound(listener: (found: { at: number; of: number }) => void): () => void;
}

/** One xterm.js in an element: only a view of bytes that came through the filter. */
export interface XtermScreen {
  readonly terminal: Terminal;
  readonly search: TerminalSearch;
  /** Resolves when they are parsed. */
  write(bytes: Uint8Array): Promise<void>;
  /** A row of our own between the lines, which no output can imitate; `alarm` for what is lost. */
  note(text: string, alarm: boolean): Promise<void>;
  /** Copies the selection; false when there is none. */
  copy(): boolean;
  dispose(): void;
}

export function openXterm(element: HTMLElement, options: XtermOptions): XtermScreen {
  const openLink = (_event: MouseEvent, url: string) => {
    if (/^https?:\/\//i.test(url)) options.openLink(url);
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
  const addon = new SearchAddon({ highlightLimit: searchLimit });
  terminal.loadAddon(addon);
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
    search: {
      find: (text, direction) => {
        if (direction === 1) addon.findNext(text, searchColours());
        else addon.findPrevious(text, searchColours());
        revealSelection(element, terminal);
      },
      clear: () => addon.clearDecorations(),
      onFound: (listener) => {
        const stop = addon.onDidChangeResults(({ resultIndex, resultCount }) =>
          listener({ at: resultIndex, of: resultCount }),
        );
        return () => stop.dispose();
      },
    },
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

/** Marks in the colours of the theme in force. */
function searchColours(): ISearchOptions {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    decorations: {
      matchBackground: token('--bg-active'),
      matchBorder: token('--line-strong'),
      matchOverviewRuler: token('--attention'),
      // The marked match is also the selection, whose colour is seen.
      activeMatchBorder: token('--accent'),
      activeMatchColorOverviewRuler: token('--accent'),
    },
  };
}

/** A terminal may be larger than its pane: brings the selected cell into the pane's view. */
function revealSelection(pane: HTMLElement, terminal: Terminal): void {
  const at = terminal.getSelectionPosition()?.start;
  const screen = pane.querySelector('.xterm-screen');
  if (at === undefined || screen === null) return;
  const cell = { width: screen.clientWidth / terminal.cols, height: screen.clientHeight / terminal.rows };
  const top = (at.y - terminal.buffer.active.viewportY) * cell.height;
  const left = at.x * cell.width;
  const margin = 4 * cell.height;
  if (top < pane.scrollTop + margin || top > pane.scrollTop + pane.clientHeight - margin)
    pane.scrollTop = top - pane.clientHeight / 2;
  if (left < pane.scrollLeft || left > pane.scrollLeft + pane.clientWidth - margin)
    pane.scrollLeft = left - pane.clientWidth / 2;
}
