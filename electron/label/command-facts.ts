import { commandName, everyCommand, joinShellPath, parseShell } from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';

/** Longer commands are not read as shell text, characters. */
const LONGEST = 64_000;

/** One command of the agent, read as shell text once for all rules. */
export interface CommandFact {
  step: number;
  text: string;
  /** `computer:session`. */
  place: string;
  computer: string;
  /** Every simple command, outer before inner. */
  simples: SimpleCommand[];
  /** Top level only, in order. */
  outer: SimpleCommand[];
  /** Scripts that it runs (`python a.py`, `bash run.sh`, `./run.sh`, `torchrun … a.py`, `python -m pkg.mod`), as paths. */
  scripts: string[];
  /** It goes on beside later steps. */
  background: boolean;
  /** It shows things and changes none, as far as its text tells. */
  looksOnly: boolean;
}

export function commandFact(
  step: number,
  text: string,
  place: { computer: string; session: string } | null,
  background: boolean,
): CommandFact {
  const outer = text.length > LONGEST ? [] : parseShell(text);
  const simples = everyCommand(outer);
  return {
    step,
    text,
    outer,
    simples,
    background,
    scripts: scriptsRun(simples),
    computer: place?.computer ?? '',
    place: place === null ? '' : `${place.computer}:${place.session}`,
    looksOnly: simples.length > 0 && simples.every(onlyLooks),
  };
}

const LOOKERS: ReadonlySet<string> = new Set(
  'cat tac nl head tail less more bat grep egrep fgrep zgrep rg ag ls ll dir tree find fd wc awk gawk sed echo printf du df diff cmp comm stat file ps pgrep top htop free nvidia-smi nvtop gpustat which whereis type command env printenv set pwd whoami id hostname date uname uptime lscpu jq yq sort uniq cut tr column fold paste xxd od hexdump strings md5sum sha1sum sha256sum test [ [[ true false : sleep wait cd pushd popd export unset alias history ldd realpath readlink basename dirname seq xargs time timeout watch'.split(
    ' ',
  ),
);
/** Sub-commands that only show something. */
const LOOKING_VERBS: Record<string, RegExp> = {
  git: /^(?:status|log|diff|show|branch|blame|remote|rev-parse|ls-files|describe|grep)$/,
  pip: /^(?:list|show|freeze|check|index)$/,
  pip3: /^(?:list|show|freeze|check|index)$/,
  conda: /^(?:list|info|env)$/,
  docker: /^(?:ps|images|logs|inspect)$/,
  ray: /^(?:status|list)$/,
  squeue: /^/,
};

function onlyLooks(command: SimpleCommand): boolean {
  const kept = command.redirects.some(
    ({ operator, target }) => operator.includes('>') && operator !== '>&' && target !== '/dev/null',
  );
  if (kept) return false;
  const name = commandName(command);
  const words = command.argv;
  if (name === '') return true;
  const verbs = Object.hasOwn(LOOKING_VERBS, name) ? LOOKING_VERBS[name] : undefined;
  if (verbs) return verbs.test(words.slice(1).find((word) => word !== null && !word.startsWith('-')) ?? '');
  if (isPython(name)) return looksInline(command);
  if (name === 'sed' && words.some((word) => /^(?:-[nErsuz]*i|--in-place)/.test(word ?? ''))) return false;
  if (name === 'sort' && words.some((word) => /^(?:-o|--output)/.test(word ?? ''))) return false;
  if (words.length === 2 && /^(?:--?version|--?help|-h|-V)$/.test(words[1] ?? '')) return true;
  return LOOKERS.has(name);
}

export const isPython = (name: string) => /^(?:python[\d.]*|ipython3?)$/.test(name);

/** What inline code does when it changes something. */
const CHANGES =
  /\b(?:write|writelines|dump|to_csv|to_json|to_parquet|to_excel|save\w*|savez|savefig|write_text|write_bytes|mkdir|makedirs|rename|remove|unlink|rmtree|copy\w*|move|system|Popen|check_call|check_output|subprocess|download\w*|train|fit|generate|push_to_hub)\s*\(|open\s*\([^)\n]*,\s*(?:mode\s*=\s*)?['"][^'"]*[wax+]/;

/** `python -c CODE`, or a program on standard input, that writes nothing. */
function looksInline(command: SimpleCommand): boolean {
  const code = inlineOf(command);
  if (code !== null) return !CHANGES.test(code);
  return command.argv.length === 2 && /^(?:-V|--version)$/.test(command.argv[1] ?? '');
}

/** Code that an interpreter gets in the command itself; null when there is none. */
function inlineOf(command: SimpleCommand): string | null {
  const at = command.argv.findIndex(
    (word, i) => i > 0 && word?.startsWith('-') && /^-[a-zA-Z]*c$/.test(word),
  );
  if (at > 0) return command.argv[at + 1] ?? '';
  const heredoc = command.heredocs.map(({ text }) => text).join('\n');
  return heredoc !== '' && (command.argv.length === 1 || command.argv.includes('-')) ? heredoc : null;
}

/** All code that a command hands to Python without a file. */
export function inlineCode({ simples }: Pick<CommandFact, 'simples'>): string {
  return simples
    .filter((simple) => isPython(commandName(simple)))
    .map((simple) => inlineOf(simple) ?? '')
    .join('\n');
}

const RUNNERS: ReadonlySet<string> = new Set(
  'bash sh zsh dash ksh source . torchrun accelerate deepspeed uv poetry conda srun mpirun horovodrun ray nohup'.split(
    ' ',
  ),
);

function scriptsRun(simples: readonly SimpleCommand[]): string[] {
  const found = simples.flatMap((simple) => {
    const name = commandName(simple);
    const first = simple.argv[0] ?? '';
    const place = (path: string) => joinShellPath(simple.directory, path);
    if (/\.(?:py|sh|bash)$/.test(first)) return [place(first)];
    if (!isPython(name) && !RUNNERS.has(name)) return [];
    if (inlineOf(simple) !== null) return [];
    const module = simple.argv.indexOf('-m');
    const moduleName = module > 0 ? simple.argv[module + 1] : null;
    if (typeof moduleName === 'string' && /^[\w.]+$/.test(moduleName)) {
      const wrapper = /^(?:torch\.distributed\.(?:run|launch)|accelerate\.commands\.launch)$/.test(
        moduleName,
      );
      if (!wrapper) return [place(`${moduleName.replaceAll('.', '/')}.py`)];
    }
    const script = simple.argv.find((word, i) => i > 0 && /\.(?:py|sh|bash)$/.test(word ?? ''));
    return typeof script === 'string' ? [place(script)] : [];
  });
  return [...new Set(found)];
}

/** Files with settings that a command names. */
export function configsOf({ simples }: CommandFact): string[] {
  return simples.flatMap((simple) =>
    simple.argv.flatMap((word, i) => {
      const value = i === 0 ? '' : (word ?? '').replace(/^--?[\w-]+=/, '');
      return /\.(?:ya?ml|json|toml)$/.test(value) ? [joinShellPath(simple.directory, value)] : [];
    }),
  );
}

/** Last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether two ways to write a path can mean the same file: equal, or one ends with the other. */
export function sameFile(a: string, b: string): boolean {
  if (a === b) return true;
  // Nearly every pair differs here, and nothing is allocated to see it.
  if (!endAlike(a, b)) return false;
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  return !short.startsWith('/') && long.endsWith(`/${short.replace(/^(?:\.{1,2}\/)+/, '')}`);
}

/** Whether the last parts of two paths are equal. */
function endAlike(a: string, b: string): boolean {
  for (let back = 1; ; back += 1) {
    const one = a.charCodeAt(a.length - back);
    const other = b.charCodeAt(b.length - back);
    const ended = endsName(one);
    if (ended || endsName(other)) return ended && endsName(other);
    if (one !== other) return false;
  }
}

/** A slash, or `NaN` before the first character. */
function endsName(code: number): boolean {
  return code === 0x2f || Number.isNaN(code);
}

/** The first line of a command, cut for a sentence. */
export function shortCommand(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
