import { commandName, type SimpleCommand } from '@shared/shell-command';
import { type CommandFact, inlineCode, isPython, shortCommand } from '../command-facts';
import type { Finding, Rule } from '../rule';

/**
 * Soft, so that systematic debugging can be kept. The exit code of a command that ran on beside other steps is
 * reported by a later observation; the finding is about the step that started it. A code that is the answer to a
 * question (`grep` finds nothing, `diff` finds a difference, a test fails) is no failure.
 */
export const commandFailed: Rule = {
  id: 'command-failed',
  version: 2,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'A command ran and exited with a code other than 0, and that code was not the answer it was asked for.',
  citation: 'APOLLO appendix E, priority 3: "error-prone actions"',
  parameters: {},
  start:
    () =>
    (_event, { ended }) =>
      ended
        .filter(({ command, exitCode, killed }) => exitCode !== 0 && !killed && !answers(command, exitCode))
        .map(({ command, exitCode, seenAt }): Finding => {
          const { step, text } = command;
          const line = shortCommand(text);
          const said = line === '' ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${line}`;
          return seenAt > step
            ? { step, why: `${said} Step ${seenAt} saw it.`, steps: [seenAt] }
            : { step, why: said, steps: [] };
        }),
};

/** Programs whose exit code 1 says "no": nothing found, files differ, not there. */
const ASKERS: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg ag diff cmp test [ [[ which type command pgrep pidof pytest py.test'.split(' '),
);

/** Whether the code is what the command was run to learn. */
function answers(command: CommandFact, exitCode: number): boolean {
  const last = command.outer.at(-1);
  if (last === undefined) return false;
  // `timeout 60 server`: to see it start and be stopped is the point.
  if (exitCode === 124 && commandName(last) === 'timeout') return true;
  if (exitCode !== 1) return false;
  const asks = [last, ...last.nested].some(asksSomething);
  // What comes before must not be able to have failed in its place.
  return asks && command.outer.slice(0, -1).every((simple) => harmless(simple) || simple.intoPipe);
}

function asksSomething(simple: SimpleCommand): boolean {
  const name = commandName(simple);
  if (ASKERS.has(name)) return true;
  if (name === 'git') return simple.argv.includes('diff') || simple.argv.includes('grep');
  if (!isPython(name)) return false;
  const module = simple.argv.indexOf('-m');
  return (module > 0 && simple.argv[module + 1] === 'pytest') || probesImport(simple);
}

/** `python -c "import x"`: whether a package is there is all that is asked. */
function probesImport(simple: SimpleCommand): boolean {
  const code = inlineCode({ simples: [simple] }).trim();
  return (
    code !== '' &&
    code
      .split(/[\n;]/)
      .map((line) => line.trim())
      .every((line) => /^(?:$|#|import [\w., ]+$|from [\w.]+ import [\w*, ]+$|print\()/.test(line)) &&
    /\bimport\b/.test(code)
  );
}

function harmless(simple: SimpleCommand): boolean {
  return /^(?:cd|pushd|echo|export|set|true|sleep|pwd|)$/.test(commandName(simple));
}
