import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { electronLaunch } from './launch.mjs';
import { hasDisplay, startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';

await runScript(async () => {
  await ensureSetUp('window');
  const { user, runtime } = readLaunch();
  const virtual = hasDisplay() ? undefined : await startDisplay(user ? { owner: user } : {});
  if (virtual)
    process.stderr.write(`No display: running under a virtual one (Xvfb ${virtual.env.DISPLAY}).\n`);
  const { executablePath, env } = electronLaunch({ env: virtual?.env ?? {} });
  // electron-vite reads only the first variable, Electron's own package only the second.
  env.ELECTRON_EXEC_PATH = executablePath;
  if (runtime.kind !== 'official') env.ELECTRON_OVERRIDE_DIST_PATH = dirname(runtime.executable);
  const program = join(projectRoot, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const child = spawn(process.execPath, [program, 'dev', '--watch', ...process.argv.slice(2)], {
    cwd: projectRoot,
    env,
    stdio: 'inherit',
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => resolve(status ?? 1));
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  });
  virtual?.stop();
  return code;
});
