import { relative, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import workerEntries from './electron/worker-entries.json';

const root = import.meta.dirname;
const alias = { '@shared': resolve(root, 'shared') };

// The lowest runtime this must run on is Electron 25: Node 18.15 and Chrome 114.
const nodeTarget = 'node18.15';

/** The project is ESM, but a main process that Electron 25 can load, and every preload, is CommonJS. */
const commonJs: Plugin = {
  name: 'mark-as-commonjs',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
  },
};

/** Leaves the names of packages whose code went in, as the lock file has them: the bill of materials is made from that. */
const namePackages = (): Plugin => ({
  name: 'name-packages',
  generateBundle() {
    const paths = [...this.getModuleIds()].map((id) => relative(root, id.replace(/^\0|[?#].*$/g, '')));
    const names = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
    const source = `${JSON.stringify([...new Set(names)].sort())}\n`;
    this.emitFile({ type: 'asset', fileName: '.packages.json', source });
  },
});

/** Add-ons of ssh2 that make it a little faster. Nobody builds them here; it looks for them and does without. */
const withoutAddons: Plugin = {
  name: 'without-ssh2-addons',
  enforce: 'pre',
  resolveId: (id) => (/^cpu-features$|\/sshcrypto\.node$/.test(id) ? '\0absent-addon' : null),
  load: (id) => (id === '\0absent-addon' ? "throw new Error('This add-on is not part of Waymark.');" : null),
};

export default defineConfig({
  main: {
    plugins: [commonJs, withoutAddons, namePackages()],
    resolve: { alias },
    build: {
      outDir: 'out/main',
      target: nodeTarget,
      // Only native code stays a require(): Electron 25 cannot require ESM-only packages.
      externalizeDeps: {
        exclude: [
          ...['openai', 'zod', 'electron-log', 'yaml', 'ulid', 'picomatch', 'ssh2'],
          ...['@hpcc-js/wasm-zstd', 'fzstd', 'hyparquet', 'hyparquet-writer'],
        ],
      },
      rollupOptions: {
        input: {
          main: resolve(root, 'electron/main.ts'),
          cli: resolve(root, 'electron/cli.ts'),
          'code-cache-writer': resolve(root, 'electron/code-cache-writer.ts'),
          ...Object.fromEntries(
            Object.entries(workerEntries).map(([name, path]) => [name, resolve(root, path)]),
          ),
        },
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          minify: true,
          keepNames: true,
        },
      },
      sourcemap: true,
    },
  },
  preload: {
    plugins: [commonJs, namePackages()],
    resolve: { alias },
    build: {
      outDir: 'out/preload',
      target: nodeTarget,
      externalizeDeps: false, // a sandboxed preload can require nothing but electron
      lib: { entry: resolve(root, 'electron/preload.ts'), formats: ['cjs'] },
      rollupOptions: { output: { entryFileNames: '[name].js' } },
    },
  },
  renderer: {
    root: resolve(root, 'renderer'),
    resolve: { alias },
    plugins: [react(), namePackages()],
    worker: { format: 'es' },
    build: {
      outDir: resolve(root, 'out/renderer'),
      target: 'chrome114',
      minify: true,
      modulePreload: { polyfill: false },
      rollupOptions: { input: resolve(root, 'renderer/index.html') },
    },
  },
});
