import { runCommandLine } from './command-line.mjs';

await runCommandLine(process.argv.slice(2));
