import './no-eval';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/surfaces.css';
import './styles/labels.css';
import './styles/frame.css';
import './styles/timeline.css';
import './styles/detail.css';
import './styles/dock.css';
import './styles/sheets.css';
import { ownTerminalPage } from '@shared/contract/own-terminal-page';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';
import { hasBridge } from './api';
import './features/files/monaco-environment';
import { startLeftRuns } from './features/frame/left-runs';
import { startInbox } from './features/inbox/attention';
import { startGestures } from './state/gestures';
import { startKeyLayout } from './state/keys/chords';
import { startKeys } from './state/keys/commands';
import { startTheme } from './state/settings';
import { startSync } from './sync';
import { languageFor, textFor } from './text/language';

const root = document.getElementById('root');
if (root !== null && location.hash === `#${ownTerminalPage}`) {
  void import('./own-terminal/start').then(({ startOwnTerminals }) => startOwnTerminals(root));
} else if (root !== null && hasBridge()) {
  startTheme();
  startGestures();
  startLeftRuns();
  startSync();
  startInbox();
  startKeyLayout();
  startKeys();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
} else if (root !== null) {
  root.textContent = textFor(languageFor('system', navigator.language)).frame.bridgeMissing;
}
