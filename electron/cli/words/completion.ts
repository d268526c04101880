import { WaymarkError } from '@shared/contract/errors';
import type { CommandResult } from '../output';
import { type Command, commands, generalOptions, optionValues, type WordKind } from './command-table';
import { type OptionName, takesValue } from './options';

/**
 * `completion bash|zsh`: a script for the shell that knows every command, its options and their values. Ids of runs and tasks, and
 * names of computers, are asked of `waymark` itself; where that fails nothing is offered, and nothing is said.
 */
export function completionCommand(shell: string | undefined): CommandResult {
  if (shell !== 'bash' && shell !== 'zsh')
    throw new WaymarkError(
      'bad_input',
      `${shell === undefined ? 'No shell was named' : `There is no completion for "${shell}"`}. Write completion bash, or completion zsh.`,
    );
  const script = scriptFor(shell);
  return { json: { shell, script }, lines: script.trimEnd().split('\n') };
}

function scriptFor(shell: 'bash' | 'zsh'): string {
  // zsh reads bash's functions of completion through its own loader.
  const head = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
  return `${head}${BODY.replace('@COMMANDS@', cases())
    .replace('@VALUES@', values())
    .replace('@FIRST@', families())
    .replace('@WITH_VALUE@', withValue())}`;
}

const spelled = (names: readonly string[]) => names.map((name) => `--${name}`).join(' ');

/** A line of the table for each command: what follows it, and its options. */
function cases(): string {
  return Object.entries(commands)
    .map(([name, { options, words = [] }]) => {
      const given = spelled([...options, ...generalOptions]);
      return `    "${name}") options="${given}"; kinds="${words.map(kindOf).join(' ')}" ;;`;
    })
    .join('\n');
}

function kindOf(kind: WordKind): string {
  if (typeof kind === 'string') return kind;
  return kind.length === 0 ? '-' : kind.join('|');
}

function values(): string {
  const fixed = Object.entries(optionValues).map(
    ([name, all]) => `    --${name}) _waymark_offer "${all.join(' ')}"; return ;;`,
  );
  const asked = (
    [
      ['run', 'run'],
      ['task', 'task'],
      ['computer', 'computer'],
    ] as const
  ).map(([name, kind]) => `    --${name}) _waymark_kind ${kind}; return ;;`);
  const paths = (['workspace', 'out', 'to', 'tokenizer', 'show'] as const).map(
    (name) => `    --${name}) _waymark_kind path; return ;;`,
  );
  return [...fixed, ...asked, ...paths].join('\n');
}

function families(): string {
  return [...new Set(Object.keys(commands).map((name) => name.split(' ')[0]))].join(' ');
}

function withValue(): string {
  const all = Object.values(commands).flatMap(({ options }: Command) => options);
  return [...new Set<OptionName>([...all, ...generalOptions])]
    .filter(takesValue)
    .map((name) => `--${name}`)
    .join('|');
}

const BODY =
  `# Made by "waymark completion". In a shell's start file: eval "$(waymark completion bash)", or zsh.
_waymark_offer() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }

_waymark_kind() {
  case "$1" in
    path) COMPREPLY=($(compgen -f -- "$cur")) ;;
    run) _waymark_offer "$("$program" run list --json 2>/dev/null | grep -o '"id":"[0-9A-Z]\\{26\\}"' | cut -d'"' -f4)" ;;
    task) _waymark_offer "$("$program" task list --json 2>/dev/null | grep -o '"id":"[^"]*"' | cut -d'"' -f4)" ;;
    computer) _waymark_offer "$("$program" computer list --json 2>/dev/null | grep -o '"alias":"[^"]*"' | cut -d'"' -f4)" ;;
    -) COMPREPLY=() ;;
    *) _waymark_offer "\${1//|/ }" ;;
  esac
}

_waymark_command() {
  case "$1" in
@COMMANDS@
    *) return 1 ;;
  esac
}

_waymark() {
  local cur prev program word skip=0 options="" kinds="" at
  local -a words=() verbs=()
  COMPREPLY=()
  program="\${COMP_WORDS[0]}"
  cur="\${COMP_WORDS[COMP_CWORD]}"
  prev="\${COMP_WORDS[COMP_CWORD-1]}"
  case "$prev" in
@VALUES@
  esac
  # Words before the one that is typed, without options and their values.
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      @WITH_VALUE@) skip=1 ;;
      -*) ;;
      *) words+=("$word") ;;
    esac
  done
  if ((skip)); then return; fi
  if ((\${#words[@]} == 0)) && [[ "$cur" != -* ]]; then _waymark_offer "@FIRST@"; return; fi
  local length=2
  if ((\${#words[@]} < 2)) || ! _waymark_command "\${words[*]:0:2}"; then
    length=1
    _waymark_command "\${words[*]:0:1}"
  fi
  if [[ "$cur" == -* ]]; then _waymark_offer "$options"; return; fi
  local -a expected=($kinds)
  at=$((\${#words[@]} - length))
  local verbs=""
  if ((\${#words[@]} == 1)); then verbs="$(_waymark_verbs "\${words[0]}")"; fi
  if ((at >= 0 && at < \${#expected[@]})); then _waymark_kind "\${expected[at]}"; fi
  if [[ -n "$verbs" ]]; then COMPREPLY+=($(compgen -W "$verbs" -- "$cur")); fi
}

_waymark_verbs() {
  case "$1" in
@VERBS@
  esac
}

complete -F _waymark waymark
`.replace('@VERBS@', verbs());

function verbs(): string {
  const byFamily = new Map<string, string[]>();
  for (const name of Object.keys(commands)) {
    const [family = '', verb] = name.split(' ');
    if (verb !== undefined) byFamily.set(family, [...(byFamily.get(family) ?? []), verb]);
  }
  return [...byFamily].map(([family, all]) => `    ${family}) echo "${all.join(' ')}" ;;`).join('\n');
}
