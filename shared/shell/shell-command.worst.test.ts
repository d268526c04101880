import { expect, test } from 'vitest';
import { changes, everyCommand, looksAt, parseShell } from './shell-command';

/** Shapes that once took minutes, or more memory than there is; each finishes within the time any test has. */
const wideText = (part: string, length = 200_000) => part.repeat(Math.ceil(length / part.length));

test.each([
  ['a directory that grows', wideText('cd a;')],
  ['a long directory that is left and entered again', `cd ${'a'.repeat(4000)};${wideText('cd b;cd ..;')}`],
  ['files of a long directory', `cd ${'a'.repeat(4000)};${wideText('cat b>c;')}`],
  ['find within find', wideText('find -exec ')],
  ['find with many commands', `find . ${wideText('-exec rm {} + ')}`],
  ['wrappers within wrappers', wideText('xargs ')],
  ['many files into one long name', `cp ${wideText('a ')}${'b'.repeat(200_000)}`],
  ['git in a long directory', `git -C ${'d'.repeat(200_000)} checkout ${wideText('a.b ')}`],
  ['substitutions side by side', `echo $(${wideText('a;', 600_000)})`],
  ['substitutions in a word', wideText('$(a)')],
  ['open substitutions', wideText('$(')],
  ['open quotes', wideText('"$(')],
  ['open braces', wideText('${')],
  ['open brackets', wideText('((')],
  ['open heredocs', wideText('<<A ')],
  ['open backticks', wideText('`a` "`')],
  ['tests', wideText('[[ a ')],
  ['patterns', wideText('case a in b) c;;')],
  ['arrays', wideText('a=(')],
])('reads %s without going over anything again and again', (_, command) => {
  expect(everyCommand(parseShell(command)).length).toBeLessThan(2_000_000);
  expect(looksAt(command).length + changes(command).length).toBeLessThanOrEqual(20_000);
});
