import type { SessionView } from '@shared/contract/views';
import { useEffect, useRef } from 'react';
import { call, listen } from '../../api';
import { attempt, toast, toastFailure } from '../../state/toasts';
import { useText } from '../../text/language';
import { type FeedSource, startFeed } from './terminal-feed';
import { terminalKey } from './terminal-keys';
import { unwatchSession, watchSession } from './watched-terminals';
import { openXterm, type TerminalSearch } from './xterm-screen';

export interface TerminalViewProps {
  session: SessionView;
  /** Raw offset to show up to; null = live. */
  until: number | null;
  /** The search in this terminal, while it is there. */
  onSearch: (search: TerminalSearch | null) => void;
}

/** A session of the agent as its terminal shows it: only a view, into which nothing can be typed. */
export function TerminalView({ session, until, onSearch }: TerminalViewProps) {
  const words = useText();
  const text = words.terminals;
  const box = useRef<HTMLDivElement>(null);
  const { run, uid, rows, cols } = session;
  const newest = useRef({ session, text, format: words.common.format, onSearch });
  newest.current = { session, text, format: words.common.format, onSearch };

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const screen = openXterm(element, {
      rows,
      cols,
      readOnly: true,
      copiedVisibly: () => toast((all) => all.terminals.copiedVisibly),
      openLink: (url) => attempt(() => call('app.openExternal', { url })),
    });
    const { terminal } = screen;
    terminal.textarea?.setAttribute('tabindex', '-1');
    terminal.attachCustomKeyEventHandler((event) => {
      const key = terminalKey(event, { typedInto: false });
      if (key === 'copy' && event.type === 'keydown' && screen.copy()) event.preventDefault();
      return key === null;
    });
    const follow = followCursor(element, terminal);
    const stopFeed = startFeed({
      source: sessionSource(run, uid),
      until,
      startOffset: 0,
      endOffset: newest.current.session.endOffset,
      gaps: newest.current.session.gaps,
      write: async (bytes) => {
        await screen.write(bytes);
        follow.toCursor();
      },
      hole: (hole) => screen.note(newest.current.text.hole(hole, newest.current.format.count), hole.lost),
      ready: () => element.setAttribute('data-ready', 'true'),
      failed: toastFailure,
    });
    newest.current.onSearch(screen.search);
    return () => {
      newest.current.onSearch(null);
      element.removeAttribute('data-ready');
      follow.stop();
      stopFeed();
      screen.dispose();
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

/** The terminal keeps the session's own size; the pane follows its cursor unless the reader has scrolled away. */
function followCursor(element: HTMLElement, terminal: { buffer: { active: { cursorY: number } } }) {
  let follows = true;
  const lineHeight = () => element.querySelector('.xterm-rows > div')?.clientHeight ?? 0;
  const watchScroll = () => {
    const cursorLine = (terminal.buffer.active.cursorY + 1) * lineHeight();
    follows = element.scrollTop + element.clientHeight >= cursorLine;
  };
  element.addEventListener('scroll', watchScroll, { passive: true });
  return {
    toCursor: () => {
      if (!follows) return;
      element.scrollTop = Math.max(
        0,
        (terminal.buffer.active.cursorY + 2) * lineHeight() - element.clientHeight,
      );
    },
    // Bytes that were on their way may still be written, into a terminal that is no more.
    stop: () => {
      follows = false;
      element.removeEventListener('scroll', watchScroll);
    },
  };
}

/** A session of a run, from the store. */
function sessionSource(run: string, uid: string): FeedSource {
  return {
    read: (offset, maxBytes, live) => call('sessions.read', { run, uid, offset, maxBytes, live }),
    listen: (listener) =>
      listen('live.session', (frame) => {
        if (frame.run === run && frame.uid === uid) listener(frame);
      }),
    seen: (offset) => call('sessions.seen', { run, uid, offset }),
    watch: () => watchSession(run, uid),
    unwatch: () => unwatchSession(run, uid),
  };
}
