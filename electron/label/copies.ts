import { commandName } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import type { CommandFact } from './command-facts';

export interface FileCopy {
  from: string;
  to: string;
}

const COPIERS: ReadonlySet<string> = new Set('cp rsync tar zip'.split(' '));
const BESIDE: ReadonlySet<string> = new Set('mkdir cd echo ls cat test true date pwd'.split(' '));
/** They change what their words say and start nothing. */
const PLAIN: ReadonlySet<string> = new Set(
  'cp rsync tar zip mkdir cd echo printf ls cat test [ true date pwd mv sed head tail wc grep diff cmp stat du touch tee chmod sleep md5sum sha256sum export'.split(
    ' ',
  ),
);

/** What a command copies when copying is all that it does; null when it does something else as well. */
export function copiesOf({ simples }: Pick<CommandFact, 'simples'>): FileCopy[] | null {
  const copies: FileCopy[] = [];
  for (const simple of simples) {
    const name = commandName(simple);
    if (!COPIERS.has(name)) {
      if (!BESIDE.has(name) || simple.redirects.some(({ operator }) => operator === '>')) return null;
      continue;
    }
    const made = copiesBy(simple);
    if (made === null) return null;
    copies.push(...made);
  }
  return copies.length > 0 ? copies : null;
}

/** What a command copies beside looks and changes that its words tell; nothing when it runs a program as well. */
export function copiesBeside(command: CommandFact): FileCopy[] {
  return runsProgram(command) ? [] : command.simples.flatMap((simple) => copiesBy(simple) ?? []);
}

/** Whether a command starts something of which its words do not tell what it does. */
export function runsProgram({ simples, looksOnly }: CommandFact): boolean {
  return !looksOnly && !simples.every((simple) => simple.argv.length === 0 || PLAIN.has(commandName(simple)));
}

/** What one command copies; null when it copies nothing, or nobody can say what. */
function copiesBy(simple: SimpleCommand): FileCopy[] | null {
  const name = commandName(simple);
  if (!COPIERS.has(name)) return null;
  const words = simple.argv.slice(1).filter((word): word is string => word !== null);
  const operands = words.filter((word) => !word.startsWith('-'));
  if (name === 'cp' || name === 'rsync') {
    const to = operands.at(-1);
    return to === undefined || operands.length < 2
      ? null
      : operands.slice(0, -1).map((from) => ({ from, to }));
  }
  const packs = name === 'zip' || /^-?[a-z]*c/.test(words[0] ?? '');
  const [to, ...from] = name === 'tar' ? words.slice(1).filter((word) => !word.startsWith('-')) : operands;
  return packs && to !== undefined ? from.map((each) => ({ from: each, to })) : null;
}
