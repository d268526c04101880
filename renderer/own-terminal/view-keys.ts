import { useKeyLayout } from '../state/keys/chords';
import { isMac, scopeOf } from '../state/keys/commands';
import { Keymap } from '../state/keys/keymap';
import { useSettings } from '../state/settings';
import { attempt } from '../state/toasts';
import { callView, listenView } from './view-api';

/** After the view was shown or moved a click was meant for what was there before, ms. */
const settleMs = 500;
const presses = [
  'pointerdown',
  'mousedown',
  'pointerup',
  'mouseup',
  'click',
  'auxclick',
  'dblclick',
] as const;

/** Keys that the program gets none of and that stand for a command of the window lead back there; returns its end. */
export function startLeaving(): () => void {
  let keymap = new Keymap({}, isMac);
  const stop = useSettings.subscribe(({ settings }) => {
    keymap = new Keymap(settings?.keys ?? {}, isMac);
  });
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    const scope = scopeOf(event.target);
    // A bare key is the terminal's, also while nothing here has the focus.
    const command = keymap.press(
      event,
      scope === 'page' ? 'terminal' : scope,
      event.timeStamp,
      useKeyLayout.getState().layout,
    );
    if (command === null || command === 'wait') return;
    event.preventDefault();
    attempt(() => callView('view.leave', { command }));
  };
  window.addEventListener('keydown', onKey);
  return () => {
    stop();
    window.removeEventListener('keydown', onKey);
  };
}

/**
 * Clicks that come at once after the view was shown or moved do nothing: the window's page chooses where the view is, and must
 * not put one of its buttons under a click that was meant for the page. Returns the end.
 */
export function startStandingStill(): () => void {
  let movedAt = performance.now();
  const stop = listenView('view.moved', () => {
    movedAt = performance.now();
  });
  const onPress = (event: Event) => {
    if (event.timeStamp - movedAt >= settleMs || !event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const press of presses) window.addEventListener(press, onPress, { capture: true });
  return () => {
    stop();
    for (const press of presses) window.removeEventListener(press, onPress, { capture: true });
  };
}
