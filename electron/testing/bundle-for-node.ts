import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

const root = resolve(import.meta.dirname, '../..');

/**
 * Bundles entries for Node as the application's build does, to be run from that folder: it is below the repository, so that packages
 * resolve.
 */
export async function bundleForNode(folder: string, input: Record<string, string>): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@shared': resolve(root, 'shared') } },
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: true,
      target: 'node18.15',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: {
        input,
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
}
