import { commandName } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import { inlineCode, isPython, shortCommand } from '../command-facts';
import { type EndedCommand, type Finding, rule } from '../rule';

/**
 * Soft, so that systematic debugging can be kept. The exit code of a command that ran on beside other steps is
 * reported by a later observation; the finding is about the step that started it. A code that is the answer to a
 * question (`grep` finds nothing, `diff` finds a difference, a test fails) is no failure.
 */
export const commandFailed = rule({
  id: 'command-failed',
  version: 3,
  effect: 'mask',
  hard: false,
  on: true,
  text: 'A command ran and exited with a code other than 0, and that code was not the answer it was asked for.',
  citation: 'APOLLO appendix E, priority 3: "error-prone actions"',
  parameters: {},
  hears: ['action.observed'],
  start:
    () =>
    (_event, { ended }) =>
      ended
        .filter((end) => end.exitCode !== 0 && !end.killed && !answers(end))
        .map(({ command, exitCode, seenAt }): Finding => {
          const { step, text } = command;
          const line = shortCommand(text);
          const said = line === '' ? `Exit code ${exitCode}.` : `Exit code ${exitCode}: ${line}`;
          return seenAt > step
            ? { step, why: `${said} Step ${seenAt} saw it.`, steps: [seenAt] }
            : { step, why: said, steps: [] };
        }),
});

/** Programs whose exit code 1 says "no": nothing found, files differ, not there. */
const ASKERS: ReadonlySet<string> = new Set(
  'grep egrep fgrep zgrep rg ag diff cmp test [ [[ which type command pgrep pidof pytest py.test'.split(' '),
);

/** Whether the code is what the command was run to learn. */
function answers({ command, exitCode, text }: EndedCommand): boolean {
  const last = command.outer.at(-1);
  if (last === undefined) return false;
  // `timeout 60 server`: to see it start and be stopped is the point.
  if (exitCode === 124 && commandName(last) === 'timeout') return true;
  if (exitCode !== 1) return false;
  const asks = [last, ...last.nested].some(asksSomething);
  if (!asks) return false;
  // What comes before must not have failed in its place: it cannot, or the end of a list answers by its code and nothing failed to be seen.
  if (command.outer.slice(0, -1).every((simple) => harmless(simple) || simple.intoPipe)) return true;
  return [last, ...last.nested].some(answersByCode) && !FAILURE.test(text);
}

/** What a command that fails with code 1 usually prints. */
const FAILURE =
  /^Traceback \(most recent call last\)|^\s*(?:\w+\.)*\w*(?:Error|Exception)\b.*:|\b(?:error|fatal|FAILED)(?::|\b.*\bfailed\b)|No such file or directory|command not found|Permission denied|[Cc]annot |can't /m;

/** Looks at the end of a list that are there for their code: a count of nothing, a difference, a thing that is not there. */
function answersByCode(simple: SimpleCommand): boolean {
  const name = commandName(simple);
  if (/^(?:e|f|z)?grep$/.test(name))
    return simple.argv.some((word) => /^(?:-[a-zA-Z]*c[a-zA-Z]*|--count)$/.test(word ?? ''));
  return /^(?:diff|cmp|test|\[|\[\[)$/.test(name);
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
