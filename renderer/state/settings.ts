import type { AppInfo } from '@shared/contract/ipc/application';
import type { Settings } from '@shared/contract/settings';
import { useSyncExternalStore } from 'react';
import { create } from 'zustand';
import { call } from '../api';

interface SettingsState {
  settings: Settings | null;
  app: AppInfo | null;
}

/** What the person has set, and what the application says about itself; null until read. */
export const useSettings = create<SettingsState>()(() => ({ settings: null, app: null }));

export async function loadSettings(): Promise<void> {
  const [settings, app] = await Promise.all([call('settings.get'), call('app.info')]);
  useSettings.setState({ settings, app });
}

/** Changes some settings; the store takes what the main process kept. */
export async function saveSettings(change: Partial<Settings>): Promise<void> {
  useSettings.setState({ settings: await call('settings.set', change) });
}

/** The annotator's name; empty before first use. */
export function useAnnotatorName(): string {
  return useSettings((state) => state.settings?.annotator.name ?? '');
}

/** Whether an endpoint of the settings has a price: only then is the cost of its answers known. */
export function usePricedEndpoint(name: string): boolean {
  return useSettings((state) =>
    (state.settings?.endpoints ?? []).some((one) => one.name === name && one.price !== null),
  );
}

/** Puts the theme on the document; follows the system when that is the choice. Returns its end. */
export function startTheme(): () => void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function apply(): void {
    const choice = useSettings.getState().settings?.theme ?? 'system';
    document.documentElement.dataset.theme = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
  }
  apply();
  dark.addEventListener('change', apply);
  const stop = useSettings.subscribe(apply);
  return () => {
    dark.removeEventListener('change', apply);
    stop();
  };
}

/** The theme the document shows now; also follows the system's when that is the choice. For what is drawn by hand. */
export function useDocumentTheme(): string {
  return useSyncExternalStore(
    watch,
    () => document.documentElement.dataset.theme ?? '',
    () => '',
  );
}

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
