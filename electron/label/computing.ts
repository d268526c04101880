import { commandName } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import { isPython } from './command-facts';

/** Installing, fetching and watching are no computing, whatever the name of the package or the log. */
const MOVERS: ReadonlySet<string> = new Set(
  'pip pip3 conda mamba apt apt-get git wget curl aria2c huggingface-cli hf modelscope tar unzip cp mv rsync scp rm mkdir touch chmod ln cat head tail less more grep rg ls find wc sed awk echo printf vim nano du df diff ps pgrep kill pkill killall nvidia-smi tee watch'.split(
    ' ',
  ),
);

/** Calls that train or generate. */
const COMPUTES = /\.\s*(?:train|fit)\s*\(|\bLLM\s*\(|\bmain\s*\(/;

/** Commands of a line that do what an expression names, told by their words. */
export function computingIn(
  simples: readonly SimpleCommand[],
  matches: (text: string) => boolean,
): SimpleCommand[] {
  return simples.filter((simple) => {
    const words = simple.argv.map((word) => word ?? '');
    if (MOVERS.has(commandName(simple)) || words.some((word) => /(?:^|\/)hfd\.sh$/.test(word))) return false;
    if (words.includes('pip') && words.includes('install')) return false;
    // What is written in inline code are names of things, not what is run.
    const inline = isPython(commandName(simple)) ? words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word)) : -1;
    if (inline > 0) return COMPUTES.test(words[inline + 1] ?? '');
    const text = words.join(' ');
    // `run_train.sh` trains: an underscore parts words as well.
    return matches(text) || (text.includes('_') && matches(text.replaceAll('_', ' ')));
  });
}
