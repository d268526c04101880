import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/**
 * Bundles bench/main.ts for this Node, laid out as the application is: the store looks for its threads, and they for their code cache,
 * beside it. The benches are a bundle of their own: a chunk that both shared could not be loaded without them.
 */
async function buildBench() {
  const outDir = join(projectRoot, 'out', 'bench');
  const entries = JSON.parse(readFileSync(join(projectRoot, 'electron', 'worker-entries.json'), 'utf8'));
  const threads = Object.fromEntries(
    Object.entries(entries).map(([name, path]) => [name, join(projectRoot, path)]),
  );
  await bundle({
    outDir,
    input: { main: join(projectRoot, 'bench', 'main.ts') },
    chunks: 'main-chunks',
    emptyOutDir: true,
  });
  await bundle({
    outDir,
    input: {
      'code-cache-writer': join(projectRoot, 'electron', 'code-cache-writer.ts'),
      ...threads,
    },
    chunks: 'chunks',
    emptyOutDir: false,
  });
  writeFileSync(join(outDir, 'package.json'), '{ "type": "commonjs" }\n');
  execFileSync(process.execPath, [join(outDir, 'code-cache-writer.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return join(outDir, 'main.js');
}

async function bundle({ outDir, input, chunks, emptyOutDir }) {
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: projectRoot,
    logLevel: 'error',
    resolve: { alias: { '@shared': join(projectRoot, 'shared') } },
    ssr: {
      noExternal: [
        ...['openai', 'zod', 'electron-log', 'yaml', 'ulid', 'picomatch'],
        ...['@hpcc-js/wasm-zstd', 'fzstd', 'hyparquet', 'hyparquet-writer'],
      ],
    },
    build: {
      ssr: true,
      outDir,
      emptyOutDir,
      target: 'node20',
      sourcemap: true,
      rollupOptions: {
        input,
        output: {
          format: 'cjs',
          entryFileNames: '[name].js',
          chunkFileNames: `${chunks}/[name]-[hash].js`,
        },
      },
    },
  });
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
