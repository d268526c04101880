import { runChecks } from './checks.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';

await runScript(async () => {
  await ensureSetUp('tests', { quiet: true, skip: ['database library', 'test hosts'] });
  return (await runChecks()) === 0 ? 0 : 1;
});
