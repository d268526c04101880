import { useSyncExternalStore } from 'react';

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
