import { commandName, type SimpleCommand } from '@shared/shell-command';

/** Installing, fetching and watching are no computing, whatever the name of the package or the log. */
const MOVERS: ReadonlySet<string> = new Set(
  'pip pip3 conda mamba apt apt-get git wget curl aria2c huggingface-cli hf modelscope tar unzip cp mv rsync scp rm mkdir touch chmod ln cat head tail less more grep rg ls find wc sed awk echo printf vim nano du df diff ps pgrep kill pkill killall nvidia-smi tee watch'.split(
    ' ',
  ),
);

/** Commands of a line that do what an expression names, told by their words. */
export function computingIn(
  simples: readonly SimpleCommand[],
  matches: (text: string) => boolean,
): SimpleCommand[] {
  return simples.filter((simple) => {
    const words = simple.argv.map((word) => word ?? '');
    if (MOVERS.has(commandName(simple)) || words.some((word) => /(?:^|\/)hfd\.sh$/.test(word))) return false;
    if (words.includes('pip') && words.includes('install')) return false;
    const text = words.join(' ');
    // `run_train.sh` trains: an underscore parts words as well.
    return matches(text) || matches(text.replaceAll('_', ' '));
  });
}
