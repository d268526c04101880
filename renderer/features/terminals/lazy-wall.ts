import { lazily } from '../../components/lazily';

/** How long the terminals wait for a page that is never idle, ms. */
const LONGEST_WAIT_MS = 500;

/**
 * The terminals' code is loaded once the page is idle: xterm is the largest part of the first layout, and loaded earlier it
 * takes the thread that the timeline's first rows need.
 */
export const TerminalWall = lazily(async () => {
  await untilIdle();
  return (await import('./TerminalWall')).TerminalWall;
});

/** Resolves after the next painted frame, when nothing else is to do. */
function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    const idle = () => requestIdleCallback(() => resolve(), { timeout: LONGEST_WAIT_MS });
    // A hidden page paints no frames.
    if (document.hidden) idle();
    else requestAnimationFrame(() => requestAnimationFrame(idle));
  });
}
