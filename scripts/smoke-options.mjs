import { resolve } from 'node:path';

/**
 * Splits what the smoke run needs from the arguments that go to the application as they are.
 *
 * @param {string[]} args
 * @param {string} defaultOut folder for the screenshot when none is named
 * @returns {{ smoke: boolean, out: string, rest: string[] }} `out` is absolute
 */
export function readSmokeOptions(args, defaultOut) {
  let smoke = false;
  let out = defaultOut;
  const rest = [];
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index];
    if (argument === '--smoke') smoke = true;
    else if (argument === '--out') {
      index += 1;
      if (args[index] === undefined) throw new Error('--out needs a folder after it.');
      out = args[index];
    } else if (argument.startsWith('--out=')) out = argument.slice('--out='.length);
    else rest.push(argument);
  }
  return { smoke, out: resolve(out), rest };
}
