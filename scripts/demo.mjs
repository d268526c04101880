import { runCommandLine } from './command-line.mjs';

await runCommandLine(['demo', ...process.argv.slice(2)]);
