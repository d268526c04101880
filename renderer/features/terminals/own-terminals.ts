import type { OwnTerminal } from '@shared/contract/computers';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { lastGesture } from '../../state/gestures';
import { toastFailure } from '../../state/toasts';
import { chooseTerminal } from './sessions-shown';

interface OwnTerminalsState {
  list: OwnTerminal[];
  loaded: boolean;
  /** Computers on which a terminal is being opened. */
  opening: string[];
}

/** The person's own terminals, on this computer and on hosts. */
export const useOwnTerminals = create<OwnTerminalsState>()(() => ({
  list: [],
  loaded: false,
  opening: [],
}));

let turn = 0;
async function loadOwnTerminals(): Promise<void> {
  turn += 1;
  const mine = turn;
  const list = await call('own.list');
  if (mine === turn) useOwnTerminals.setState({ list, loaded: true });
}

/** Keeps the list true while a terminal pane is on the screen; the returned function ends it. */
export function startOwnTerminals(): () => void {
  const read = () => {
    loadOwnTerminals().catch((thrown: unknown) => toastFailure(thrown));
  };
  read();
  return listen('own.changed', read);
}

/** Opens a terminal of the person's own, and goes into it unless they have done something else meanwhile; a failure is said. */
export function openOwnTerminal(computer: string, run: string | null): void {
  const { number: asked } = lastGesture();
  useOwnTerminals.setState((state) => ({ opening: [...state.opening, computer] }));
  call('own.open', { computer, run, rows: 24, cols: 80 })
    .then(async ({ id }) => {
      await loadOwnTerminals();
      chooseTerminal(id, { enter: asked === lastGesture().number });
    })
    .catch((thrown: unknown) => toastFailure(thrown))
    .finally(() =>
      useOwnTerminals.setState((state) => {
        const opening = [...state.opening];
        opening.splice(opening.indexOf(computer), 1);
        return { opening };
      }),
    );
}
