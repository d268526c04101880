import type { OwnTerminal } from '@shared/contract/computers';
import { checkPaste } from '@shared/terminal/paste';
import type { Terminal } from '@xterm/xterm';
import { useEffect, useRef } from 'react';
import { failureOf } from '../api';
import { fitTo } from '../features/terminals/fit';
import { startFeed } from '../features/terminals/terminal-feed';
import { terminalKey } from '../features/terminals/terminal-keys';
import { openXterm, type TerminalSearch } from '../features/terminals/xterm-screen';
import { attempt, toast, toastFailure } from '../state/toasts';
import { useText } from '../text/language';
import { ownSource } from './own-source';
import { giveTerminal } from './PasteSheet';
import { TerminalInput } from './terminal-input';
import { callView } from './view-api';
import { clearUnsent, noteUnsent, takesKeys, useOwnView } from './view-state';

export interface OwnTerminalViewProps {
  terminal: OwnTerminal;
  /** Whether its link takes keys now. */
  up: boolean;
  onSearch: (search: TerminalSearch | null) => void;
}

const encoder = new TextEncoder();

/** A terminal of the person's own: keys go to it while its link is up, and it is as large as the pane. */
export function OwnTerminalView({ terminal: own, up, onSearch }: OwnTerminalViewProps) {
  const words = useText();
  const box = useRef<HTMLDivElement>(null);
  const { id } = own;
  const newest = useRef({ own, text: words.terminals, format: words.common.format, onSearch });
  newest.current = { own, text: words.terminals, format: words.common.format, onSearch };
  const shown = useRef<{ terminal: Terminal; resized: () => void } | null>(null);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { rows, cols, startOffset, endOffset } = newest.current.own;
    const screen = openXterm(element, {
      rows,
      cols,
      readOnly: false,
      copiedVisibly: () => toast((all) => all.terminals.copiedVisibly),
      openLink: (url) => attempt(() => callView('view.openExternal', { url })),
    });
    const { terminal } = screen;
    const input = new TerminalInput({
      open: () => takesKeys(useOwnView.getState().shown),
      send: (bytes) => callView('own.write', { id, bytes }),
      sent: () => clearUnsent(id),
      refused: (bytes, why) => noteUnsent(id, bytes, why),
    });
    terminal.onData((data) => input.type(encoder.encode(data)));
    terminal.onBinary((data) => input.type(Uint8Array.from(data, (character) => character.charCodeAt(0))));
    terminal.attachCustomKeyEventHandler((event) => {
      const key = terminalKey(event, { typedInto: true });
      if (key === 'copy' && event.type === 'keydown' && screen.copy()) event.preventDefault();
      // What is ours goes on to the pane, the rest to the program.
      return key === null;
    });
    const paste = (event: ClipboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text === '') return;
      if (checkPaste(text).ask) useOwnView.setState({ paste: { id, text } });
      else terminal.paste(text);
    };
    element.addEventListener('paste', paste, { capture: true });
    const resize = () => {
      const { rows: toRows, cols: toCols } = terminal;
      callView('own.resize', { id, rows: toRows, cols: toCols }).catch((thrown: unknown) => {
        // A link that is away is shown as such; the size is told when it is back.
        if (failureOf(thrown).code !== 'computer_unavailable') toastFailure(thrown);
      });
    };
    const fit = fitTo(element, terminal, resize);
    const stopFeed = startFeed({
      source: ownSource(id),
      until: null,
      startOffset,
      endOffset,
      gaps: [],
      write: screen.write,
      hole: (hole) => screen.note(newest.current.text.hole(hole, newest.current.format.count), hole.lost),
      // History keeps the size it was printed for; then the pane's own holds.
      ready: () => {
        fit.start();
        element.setAttribute('data-ready', 'true');
      },
      failed: (thrown) => {
        if (failureOf(thrown).code !== 'computer_unavailable') toastFailure(thrown);
      },
    });
    const forget = giveTerminal(id, (text) => {
      terminal.paste(text);
      terminal.focus();
    });
    newest.current.onSearch(screen.search);
    shown.current = { terminal, resized: resize };
    return () => {
      shown.current = null;
      newest.current.onSearch(null);
      element.removeAttribute('data-ready');
      element.removeEventListener('paste', paste, { capture: true });
      forget();
      fit.stop();
      stopFeed();
      screen.dispose();
    };
  }, [id]);

  // Main gives the view the keyboard; within it the terminal has it unless something of ours was chosen.
  useEffect(() => {
    const enter = () => {
      const { activeElement } = document;
      if (document.hasFocus() && (activeElement === null || activeElement === document.body))
        shown.current?.terminal.focus();
    };
    enter();
    window.addEventListener('focus', enter);
    return () => window.removeEventListener('focus', enter);
  }, []);

  useEffect(() => {
    if (up) shown.current?.resized();
  }, [up]);

  return (
    <section
      ref={box}
      className="terminal-view terminal-view-own"
      data-terminal={id}
      data-keys="own"
      aria-label={words.terminals.ownScreenOf(`${own.computer}:${own.name}`)}
    />
  );
}
