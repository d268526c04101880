import '@xterm/xterm/css/xterm.css';
import type { SessionView } from '@shared/views';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'react';
import { call } from '../../api';
import { attempt, toastFailure } from '../../state/toasts';
import { useText } from '../../text/language';
import { startFeed } from './terminal-feed';
import { terminalTheme } from './terminal-theme';

export interface TerminalViewProps {
  session: SessionView;
  /** Raw offset to show up to; null = live. */
  until: number | null;
}

/** One session as its terminal shows it. Only a view: keys are never sent, replies to escape sequences go nowhere. */
export function TerminalView({ session, until }: TerminalViewProps) {
  const text = useText().terminals;
  const box = useRef<HTMLDivElement>(null);
  const { run, uid, rows, cols } = session;
  const end = useRef(session.endOffset);
  end.current = session.endOffset;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const openLink = (_event: MouseEvent, url: string) => {
      if (/^https?:\/\//i.test(url)) attempt(() => call('app.openExternal', { url }));
    };
    const terminal = new Terminal({
      rows,
      cols,
      disableStdin: true,
      scrollback: 5000,
      fontSize: 12,
      lineHeight: 1.2,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--font-mono'),
      theme: terminalTheme(),
      allowProposedApi: true,
      linkHandler: { activate: openLink, allowNonHttpProtocols: false },
    });
    terminal.loadAddon(new Unicode11Addon());
    terminal.unicode.activeVersion = '11';
    terminal.loadAddon(new WebLinksAddon(openLink));
    terminal.open(element);
    terminal.textarea?.setAttribute('tabindex', '-1');
    // The terminal keeps the session's own size; the pane follows its cursor unless the reader has scrolled away.
    let follows = true;
    const toCursor = () => {
      if (!follows) return;
      const lineHeight = element.querySelector('.xterm-rows > div')?.clientHeight ?? 0;
      element.scrollTop = Math.max(
        0,
        (terminal.buffer.active.cursorY + 2) * lineHeight - element.clientHeight,
      );
    };
    const watchScroll = () => {
      const lineHeight = element.querySelector('.xterm-rows > div')?.clientHeight ?? 0;
      const cursorLine = (terminal.buffer.active.cursorY + 1) * lineHeight;
      follows = element.scrollTop + element.clientHeight >= cursorLine;
    };
    element.addEventListener('scroll', watchScroll, { passive: true });
    const stopFeed = startFeed({
      run,
      uid,
      until,
      endOffset: end.current,
      write: (bytes) =>
        new Promise((resolve) =>
          terminal.write(bytes, () => {
            toCursor();
            resolve();
          }),
        ),
      clear: () => terminal.reset(),
      failed: (thrown) => toastFailure(thrown),
    });
    const themes = new MutationObserver(() => {
      terminal.options.theme = terminalTheme();
    });
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      themes.disconnect();
      element.removeEventListener('scroll', watchScroll);
      stopFeed();
      terminal.dispose();
    };
  }, [run, uid, rows, cols, until]);

  return (
    <section
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="terminal-view"
      data-terminal={uid}
      data-keys="own"
      aria-label={text.screenOf(`${session.computer}:${session.session}`)}
    />
  );
}
