import workerAddress from 'monaco-editor/editor/editor.worker?worker&url';

/** As far as it is used here; the library of types has no words for it yet. */
interface PolicyFactory {
  createPolicy<P extends Partial<Record<'createHTML' | 'createScriptURL', (value: string) => string>>>(
    name: string,
    policy: P,
  ): P & { readonly name: string };
}

declare global {
  interface Window {
    readonly trustedTypes?: PolicyFactory;
  }
}

/** The one policy by which a worker gets its program: our own bundle's, and nothing else's. */
const workerPolicy = window.trustedTypes?.createPolicy('waymark-worker', {
  createScriptURL: (address) => {
    if (address !== workerAddress) throw new TypeError('Only the editor has a worker.');
    return address;
  },
});

/**
 * Monaco makes its markup under one policy of ours; it asks for a dozen by name, some of them twice. It gets its worker
 * from here and may make no script address.
 */
const markupPolicy = window.trustedTypes?.createPolicy('waymark-editor', {
  createHTML: (markup) => markup,
});

function startWorker(): Worker {
  const address = workerPolicy?.createScriptURL(workerAddress) ?? workerAddress;
  return new Worker(address, { type: 'module', name: 'editor' });
}

// Part of the first chunk: Monaco's modules ask for their policies when they are loaded, and a name is given once.
self.MonacoEnvironment = { getWorker: startWorker, createTrustedTypesPolicy: () => markupPolicy };
