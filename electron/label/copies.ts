import { commandName } from '@shared/shell-command';
import type { CommandFact } from './command-facts';

export interface FileCopy {
  from: string;
  to: string;
}

const COPIERS: ReadonlySet<string> = new Set('cp rsync tar zip'.split(' '));
const BESIDE: ReadonlySet<string> = new Set('mkdir cd echo ls cat test true date pwd'.split(' '));

/** What a command copies when copying is all that it does; null when it does something else as well. */
export function copiesOf({ simples }: Pick<CommandFact, 'simples'>): FileCopy[] | null {
  const copies: FileCopy[] = [];
  for (const simple of simples) {
    const name = commandName(simple);
    if (!COPIERS.has(name)) {
      if (!BESIDE.has(name) || simple.redirects.some(({ operator }) => operator === '>')) return null;
      continue;
    }
    const words = simple.argv.slice(1).filter((word): word is string => word !== null);
    const operands = words.filter((word) => !word.startsWith('-'));
    if (name === 'cp' || name === 'rsync') {
      const to = operands.at(-1);
      if (to === undefined || operands.length < 2) return null;
      for (const from of operands.slice(0, -1)) copies.push({ from, to });
    } else {
      const packs = name === 'zip' || /^-?[a-z]*c/.test(words[0] ?? '');
      const [to, ...from] =
        name === 'tar' ? words.slice(1).filter((word) => !word.startsWith('-')) : operands;
      if (!packs || to === undefined) return null;
      for (const each of from) copies.push({ from: each, to });
    }
  }
  return copies.length > 0 ? copies : null;
}
