import type { Terminal } from '@xterm/xterm';
import { scrollBarPx } from './terminal-theme';

/** While a pane is dragged its terminal follows at most this often, ms. */
const settleMs = 120;
const least = { rows: 2, cols: 20 } as const;
const most = { rows: 500, cols: 1000 } as const;

/** How many rows and columns of a cell's size fit; null while nothing is laid out. */
export function sizeFor(
  room: { width: number; height: number },
  cell: { width: number; height: number },
  scrollBar: number,
): { rows: number; cols: number } | null {
  if (!(cell.width > 0 && cell.height > 0 && room.width > 0 && room.height > 0)) return null;
  const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
  return {
    rows: clamp(Math.floor(room.height / cell.height), least.rows, most.rows),
    cols: clamp(Math.floor((room.width - scrollBar) / cell.width), least.cols, most.cols),
  };
}

/** Keeps a terminal as large as its element, from `start` on; `resized` is told each new size. */
export function fitTo(element: HTMLElement, terminal: Terminal, resized: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const fill = () => {
    const screen = element.querySelector('.xterm-screen');
    if (screen === null) return;
    const drawn = screen.getBoundingClientRect();
    const style = getComputedStyle(element);
    const padding = (side: string) => Number.parseFloat(style.getPropertyValue(`padding-${side}`)) || 0;
    const size = sizeFor(
      {
        width: element.clientWidth - padding('left') - padding('right'),
        height: element.clientHeight - padding('top') - padding('bottom'),
      },
      { width: drawn.width / terminal.cols, height: drawn.height / terminal.rows },
      scrollBarPx,
    );
    if (size === null || (size.rows === terminal.rows && size.cols === terminal.cols)) return;
    terminal.resize(size.cols, size.rows);
    resized();
  };
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(fill, settleMs);
  });
  return {
    start: () => {
      fill();
      observer.observe(element);
    },
    stop: () => {
      clearTimeout(timer);
      observer.disconnect();
    },
  };
}
