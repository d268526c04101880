import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { startKeyLayout } from '../state/keys/chords';
import { startTheme } from '../state/settings';
import { attempt } from '../state/toasts';
import { OwnTerminals } from './OwnTerminals';
import { callView } from './view-api';
import { startLeaving, startStandingStill } from './view-keys';
import { startView } from './view-state';

/** Begins the page of the view of own terminals, which is not the window's. */
export function startOwnTerminals(root: HTMLElement): void {
  startStandingStill();
  startTheme();
  startView();
  startKeyLayout();
  startLeaving();
  window.addEventListener('resize', () => attempt(() => callView('view.sized')));
  createRoot(root).render(
    <StrictMode>
      <OwnTerminals />
    </StrictMode>,
  );
}
