import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { giveToApplication, runApplication } from './launch.mjs';
import { hasDisplay, startDisplay } from './setup/display.mjs';
import { readLaunch } from './setup/launch-file.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';
import { readSmokeOptions } from './smoke-options.mjs';

await runScript(async () => {
  const display = hasDisplay();
  const { smoke, out, rest } = readSmokeOptions(
    process.argv.slice(2),
    join(projectRoot, '.waymark', 'smoke'),
  );
  await ensureSetUp('window');
  const { user } = readLaunch();
  if (user)
    process.stderr.write(
      `Running as root: the application runs as ${user.name}, its own data is below ${user.home}.\n`,
    );
  if (display && !smoke) return runApplication({ args: rest });
  if (display) return takeSmoke(out, rest, {});
  process.stderr.write(
    `No display: running under a virtual one (Xvfb). The screenshot will be ${join(out, 'screenshot.png')}\n`,
  );
  const virtual = await startDisplay(user ? { owner: user } : {});
  try {
    return await takeSmoke(out, rest, virtual.env);
  } finally {
    virtual.stop();
  }
});

/**
 * Lets the application open the demo run, take the screenshot and leave. It writes to a folder of its own,
 * since under root it runs as a user that may not write where the caller wants the files.
 */
async function takeSmoke(out, rest, env) {
  const staged = mkdtempSync(join(tmpdir(), 'waymark-smoke-'));
  try {
    giveToApplication(staged);
    const code = await runApplication({ args: ['--smoke', '--out', staged, ...rest], env });
    mkdirSync(out, { recursive: true });
    for (const entry of readdirSync(staged, { withFileTypes: true })) {
      if (!entry.isFile()) continue; // folders hold the application's own data for this run
      copyFileSync(join(staged, entry.name), join(out, entry.name));
      process.stderr.write(`Wrote ${resolve(out, entry.name)}\n`);
    }
    return code;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}
