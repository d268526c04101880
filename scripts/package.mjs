import { relative } from 'node:path';
import { packageApp } from './package-app.mjs';
import { checkFuses } from './package-check.mjs';
import { projectRoot } from './setup/project.mjs';
import { ensureSetUp, runScript } from './setup/steps.mjs';

/** `npm run package [-- --e2e] [TARGET…]`, targets as electron-builder names them. */
await runScript(async () => {
  const args = process.argv.slice(2);
  const variant = args.includes('--e2e') ? 'e2e' : 'release';
  const targets = args.filter((argument) => !argument.startsWith('--'));
  await ensureSetUp('window');
  const { folder, executable, files } = await packageApp({
    variant,
    ...(targets.length > 0 ? { targets } : {}),
  });
  const problems = await checkFuses(executable, variant);
  for (const problem of problems) process.stderr.write(`✗ ${problem}\n`);
  process.stdout.write(`${[folder, ...files].map((path) => relative(projectRoot, path)).join('\n')}\n`);
  return problems.length === 0 ? 0 : 1;
});
