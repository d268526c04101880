import { runCommandLine } from './command-line.mjs';
import { runScript } from './setup/steps.mjs';

await runScript(() => runCommandLine(process.argv.slice(2)));
