import { act, cleanup, configure, render } from '@testing-library/react';
import type { ReactElement } from 'react';
import { expect, onTestFinished, vi } from 'vitest';
import { Toasts } from './features/frame/Toasts';
import { answers } from './state/answer-cache';
import { BridgeStand, settled } from './state/bridge-fixtures';
import { useToasts } from './state/toasts';

// As in vitest.config.mts: it ends what hangs.
configure({ asyncUtilTimeout: 60_000 });

/**
 * A component in a page, with the toasts that say what failed, before a main process that answers. React must find nothing to
 * complain of.
 */
export function show(element: ReactElement, answered: ConstructorParameters<typeof BridgeStand>[0] = {}) {
  const bridge = new BridgeStand(answered);
  const complaints = vi.spyOn(console, 'error');
  answers.clear();
  useToasts.setState({ toasts: [] });
  render(
    <>
      {element}
      <Toasts />
    </>,
  );
  onTestFinished(() => {
    cleanup();
    const said = complaints.mock.calls.map(String);
    complaints.mockRestore();
    expect(said).toEqual([]);
  });
  return bridge;
}

/** Everything that was answered is on the page, so that what is not there will not come. */
export function shown(): Promise<void> {
  return act(settled);
}

/** What the page put on the clipboard. */
export function clipboard(): string[] {
  const copied: string[] = [];
  const writing = vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    copied.push(text);
  });
  onTestFinished(() => writing.mockRestore());
  return copied;
}
