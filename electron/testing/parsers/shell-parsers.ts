import { commandPolicySchema } from '@shared/contract/command-policy';
import { everyCommand, longestShellText, parseShell } from '@shared/shell/shell-command';
import { changedBy, seenBy } from '@shared/shell/shell-effects';
import { readCommand } from '../../actions/command-findings';
import { longestLiteral, readLiteral } from '../../actions/literal-command';
import { directoryAfter, shellTouches } from '../../label/shell-edits';
import { again, counted, nested, type Parser } from './parser';

const policy = commandPolicySchema.parse(undefined);

const shapes: Parser['shapes'] = {
  'changes of folder': again('cd a;'),
  'different folders': counted((index) => `cd d${index}; touch f${index};`),
  'open brackets': again('('),
  'nested substitutions': nested('$(', ')', 'x'),
  'open substitutions': again('"$('),
  backticks: again('`a'),
  pipes: again('a|'),
  'here documents': again('cat <<E\n'),
  'an open quote': again("a'"),
  'escaped line ends': again('\\\n'),
  braces: again('{a,'),
  'find -exec': again('find . -exec rm {} ; '),
  'nested shells': again("bash -c '"),
  assignments: again('A=1 '),
  arithmetic: again('$(('),
  'case words': again('case x in x) '),
  'one long word': again('a'),
};

/** Everything that takes shell text apart. */
export const shellParsers: readonly Parser[] = [
  {
    names: ['parseShell'],
    most: longestShellText,
    shapes,
    parse: (text) => everyCommand(parseShell(text)).map((command) => [seenBy(command), changedBy(command)]),
  },
  {
    names: ['readCommand'],
    most: longestShellText,
    shapes,
    parse: (text) => readCommand(text, '/work', policy),
  },
  {
    names: ['shellTouches', 'directoryAfter'],
    most: longestShellText,
    shapes,
    parse: (text) => [shellTouches(text), directoryAfter(text)],
  },
  { names: ['readLiteral'], most: longestLiteral, shapes, parse: readLiteral },
];
