import { useEffect, useRef } from 'react';
import { useSettings } from '../settings';
import { chordsOf, type KeyPress, useKeyLayout } from './chords';
import type { CommandId, KeyScope } from './keymap';
import { Keymap } from './keymap';

/**
 * Who does what a key or a menu item asks for. A feature registers handlers while it is on the screen; the one
 * registered last answers first and may pass on by returning false.
 */
type Handler = () => boolean | undefined | Promise<void> | void;
const handlers = new Map<CommandId, Handler[]>();

/** Registers a handler; the returned function takes it away. */
export function handle(id: CommandId, handler: Handler): () => void {
  const list = handlers.get(id) ?? [];
  list.push(handler);
  handlers.set(id, list);
  return () => {
    const now = handlers.get(id) ?? [];
    handlers.set(
      id,
      now.filter((other) => other !== handler),
    );
  };
}

/** Registers a handler as long as the component is mounted; always calls the newest closure. */
export function useCommand(id: CommandId, handler: Handler): void {
  const newest = useRef(handler);
  newest.current = handler;
  useEffect(() => handle(id, () => newest.current()), [id]);
}

/** Runs a command. @returns false when nothing on the screen answers to it. */
export function runCommand(id: CommandId): boolean {
  const list = handlers.get(id) ?? [];
  for (const handler of [...list].reverse()) {
    if (handler() !== false) return true;
  }
  return false;
}

/** Whether something on the screen answers to a command. */
export function canRun(id: CommandId): boolean {
  return (handlers.get(id)?.length ?? 0) > 0;
}

/** Where a key went down. An element with `data-keys="own"` (a terminal) keeps its bare keys. */
export function scopeOf(target: EventTarget | null): KeyScope {
  if (!(target instanceof Element)) return 'page';
  if (target.closest('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null) return 'dialog';
  // A sheet whose focus got lost keeps the keys from what lies under it.
  if (target === document.body && document.querySelector('[aria-modal="true"]') !== null) return 'dialog';
  if (target.closest('.xterm, [data-keys="own"]') !== null) return 'terminal';
  if (
    target.closest(
      'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]',
    ) !== null
  ) {
    return 'typing';
  }
  return 'page';
}

export const isMac = typeof navigator !== 'undefined' && /Mac/.test(navigator.platform);

/** The chords a press may stand for on this keyboard, for what handles keys of its own. */
export function pressedChords(event: KeyPress): string[] {
  return chordsOf(event, { mac: isMac, layout: useKeyLayout.getState().layout });
}

/** Starts listening to keys; the returned function ends it. */
export function startKeys(): () => void {
  let keymap = new Keymap(useSettings.getState().settings?.keys ?? {}, isMac);
  const stopSettings = useSettings.subscribe((state, before) => {
    if (state.settings?.keys !== before.settings?.keys)
      keymap = new Keymap(state.settings?.keys ?? {}, isMac);
  });
  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented) return;
    const scope = scopeOf(event.target);
    // Enter and the arrows belong to a focused control.
    if (scope === 'page' && ownsKey(event)) return;
    const command = keymap.press(event, scope, event.timeStamp, useKeyLayout.getState().layout);
    if (command === null) return;
    if (command === 'wait' || runCommand(command)) event.preventDefault();
  }
  window.addEventListener('keydown', onKey);
  return () => {
    stopSettings();
    window.removeEventListener('keydown', onKey);
  };
}

function ownsKey(event: KeyboardEvent): boolean {
  if (!(event.target instanceof Element)) return false;
  const control = event.target.closest(
    'button, a[href], [role="tab"], [role="separator"], [role="option"], input',
  );
  if (control === null) return false;
  return event.key === 'Enter' || event.key === ' ' || event.key.startsWith('Arrow');
}
