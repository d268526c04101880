import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './setup/cache-folder.mjs';
import { startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';

await runScript(async () => {
  await ensureSetUp('window', {
    quiet: true,
    needXvfb: process.platform === 'linux',
    alsoTests: true,
  });
  const entry = await buildBench();
  const { user } = readLaunch();
  const display = process.platform === 'linux' ? await startDisplay(user ? { owner: user } : {}) : undefined;
  // Shells read the start-up files that they find at home; a person's may take a second.
  const home = mkdtempSync(join(tmpdir(), 'waymark-home-'));
  const own = { HOME: home, WAYMARK_CACHE: cacheFolder() };
  try {
    return await run(entry, { ...process.env, ...display?.env, ...own });
  } finally {
    display?.stop();
    rmSync(home, { recursive: true, force: true });
  }
});

/** Bundles bench/main.ts for this Node, laid out as the application is: the store looks for its threads beside it. */
async function buildBench() {
  const { build } = await import('vite');
  const outDir = join(projectRoot, 'out', 'bench');
  const source = (...path) => join(projectRoot, ...path);
  await build({
    configFile: false,
    root: projectRoot,
    logLevel: 'error',
    resolve: { alias: { '@shared': source('shared') } },
    ssr: {
      noExternal: [
        ...['openai', 'zod', 'electron-log', 'yaml', 'ulid', 'picomatch'],
        ...['@hpcc-js/wasm-zstd', 'fzstd', 'hyparquet', 'hyparquet-writer'],
      ],
    },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      sourcemap: true,
      rollupOptions: {
        input: {
          main: source('bench', 'main.ts'),
          'writer-worker': source('electron', 'store', 'threads', 'writer-worker.ts'),
          'reader-worker': source('electron', 'store', 'threads', 'reader-worker.ts'),
          'regex-worker': source('electron', 'store', 'threads', 'regex-worker.ts'),
          'export-worker': source('electron', 'dataset', 'jobs', 'export-worker.ts'),
          'token-worker': source('electron', 'dataset', 'tokens', 'token-worker.ts'),
          'merge-worker': source('electron', 'store', 'threads', 'merge-worker.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  });
  writeFileSync(join(outDir, 'package.json'), '{ "type": "commonjs" }\n');
  return join(outDir, 'main.js');
}

function run(entry, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--enable-source-maps', entry, ...process.argv.slice(2)],
      {
        cwd: projectRoot,
        env,
        stdio: 'inherit',
      },
    );
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
