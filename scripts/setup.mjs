import { ensureSetUp, runScript } from './setup/steps.mjs';

await runScript(async () => {
  await ensureSetUp('window', {
    skip: process.argv.includes('--no-build') ? ['build', 'code cache', 'runs'] : [],
  });
});
