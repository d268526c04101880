import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';

await runScript(async () => {
  await ensureSetUp('window', { quiet: true, needXvfb: process.platform === 'linux' });
  const entry = await buildBench();
  const { user } = readLaunch();
  const display = process.platform === 'linux' ? await startDisplay(user ? { owner: user } : {}) : undefined;
  try {
    return await run(entry, { ...process.env, ...display?.env });
  } finally {
    display?.stop();
  }
});

/** Bundles bench/main.ts for this Node, as it uses the engine's TypeScript sources; packages stay outside. */
async function buildBench() {
  const { build } = await import('vite');
  const outDir = join(projectRoot, 'out', 'bench');
  await build({
    configFile: false,
    root: projectRoot,
    logLevel: 'error',
    resolve: { alias: { '@shared': join(projectRoot, 'shared') } },
    build: {
      ssr: join(projectRoot, 'bench', 'main.ts'),
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: {
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return join(outDir, 'main.mjs');
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
