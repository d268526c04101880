import { runCommandLine } from './command-line.mjs';
import { runScript } from './setup/steps.mjs';

await runScript(() => runCommandLine(['demo', ...process.argv.slice(2)]));
