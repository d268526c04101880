import {
  type CommandClass,
  type CommandPolicy,
  type CommandRule,
  programClasses,
} from '@shared/contract/command-policy';
import {
  changes,
  commandName,
  everyCommand,
  longestShellText,
  looksAt,
  parseShell,
} from '@shared/shell/shell-command';
import type { SimpleCommand } from '@shared/shell/shell-lexer';
import { isInside } from './workspace-files';

/** Something a command does that a person may want to know of before it does it. */
export interface CommandFinding {
  class: CommandClass;
  /** Continues a sentence: `curl uses the network`. */
  why: string;
}

/** What the task decided about one command by name. */
export interface CommandRuling {
  rule: CommandRule;
  program: string;
}

export interface CommandReading {
  findings: CommandFinding[];
  /** For the commands that a rule of the task matches; their findings are not among the others. */
  rulings: CommandRuling[];
}

const programs = new Map(
  programClasses.flatMap(({ names, ...rest }) => names.split(' ').map((name) => [name, rest] as const)),
);
const shells = /^(?:sh|bash|dash|zsh|ksh|fish|csh|tcsh)$/;
const interpreters = /^(?:python[\d.]*|perl|ruby|node|php|lua|awk|gawk|mawk)$/;
const codeRisk =
  /\b(?:os\.(?:system|popen|exec\w*|remove|unlink|environ|kill|fork)|subprocess|shutil\.rmtree|socket|urllib|requests|http\.client|ftplib|smtplib|child_process|__import__|importlib|eval\s*\(|exec\s*\(|base64|ctypes|system\s*\(|system\s*["']|pty\.|unlink\b|File\.delete|TCPSocket|Net::)|`/;
const secrets =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.netrc|\.docker|\.kube|\.config\/gcloud|\.huggingface|\.env(?:\.|$)|\.pgpass|\.git-credentials|id_[a-z0-9]+$)|^\/etc\/(?:shadow|sudoers|passwd)|^\/proc\/(?:\d+|self)\/(?:environ|mem|fd)|^\/dev\/(?!null|stdout|stderr|stdin|zero|u?random|tty)/;
/** Invisible and look-alike characters make a command read differently from what it does. */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/;

/**
 * Reads a command's shell text for what it does, word by word: `transformers` is no `rm`, and `r\m`, `"rm"` and `/bin/rm` are.
 * Reading is an aid, not a boundary: the boundary is the account the computer's sessions run as.
 */
export function readCommand(command: string, root: string, policy: CommandPolicy): CommandReading {
  const findings: CommandFinding[] = [];
  const rulings: CommandRuling[] = [];
  const add = (kind: CommandClass, why: string) => findings.push({ class: kind, why });
  if (invisible.test(command)) add('unreadable', 'it contains invisible characters');
  if (command.length > longestShellText) add('unreadable', 'it is too long to check');
  if (/:\s*\(\)\s*\{[^\n|]{0,80}\|[^\n&]{0,80}&/.test(command))
    add('destructive', 'it looks like a fork bomb');
  const commands = everyCommand(parseShell(command));
  for (const simple of commands) {
    const ruling = rulingFor(simple, policy);
    if (ruling) rulings.push(ruling);
    else findings.push(...findingsOf(simple));
  }
  findings.push(...pathFindings(command, root, commands));
  return { findings, rulings };
}

function rulingFor(simple: SimpleCommand, policy: CommandPolicy): CommandRuling | null {
  const program = commandName(simple);
  const words = simple.argv.slice(1);
  const rule = policy.rules.find(
    (each) => each.program === program && each.with.every((word) => words.includes(word)),
  );
  return rule ? { rule, program } : null;
}

function pathFindings(command: string, root: string, commands: readonly SimpleCommand[]): CommandFinding[] {
  const found: CommandFinding[] = [];
  const outside = (path: string) =>
    (path.startsWith('/') || path.startsWith('~') || path.startsWith('..')) && !isInside(path, root);
  for (const path of changes(command)) {
    if (outside(path) && !/^\/(?:tmp|dev\/shm)\//.test(path) && path !== '/dev/null') {
      found.push({ class: 'write', why: `it changes ${path}, outside the workspace` });
    } else if (path === root || path === '/' || path === '.') {
      found.push({ class: 'destructive', why: `it changes all of ${path}` });
    }
  }
  for (const path of looksAt(command))
    if (secrets.test(path)) found.push({ class: 'secret', why: `it reads ${path}` });
  for (const simple of commands) {
    const words = [...simple.argv.slice(1), ...simple.redirects.map((redirect) => redirect.target)];
    for (const word of words) {
      if (word !== null && secrets.test(word)) found.push({ class: 'secret', why: `it names ${word}` });
    }
  }
  return found;
}

function findingsOf(simple: SimpleCommand): CommandFinding[] {
  const found: CommandFinding[] = [];
  const add = (kind: CommandClass, why: string) => found.push({ class: kind, why });
  const [first] = simple.argv;
  const name = commandName(simple);
  const words = simple.argv.slice(1);
  if (first === null) add('unreadable', 'what it runs depends on a variable or on another command');
  else if (first !== undefined && /[^\x20-\x7e]/.test(first))
    add('unreadable', 'the name of a command contains unusual characters');
  const known = programs.get(name) ?? (/^mkfs\./.test(name) ? programs.get('mkfs') : undefined);
  if (known) add(known.class, `${name} ${known.why}`);
  if (shells.test(name)) found.push(...ofShell(simple, name, words));
  if (interpreters.test(name)) found.push(...ofInterpreter(simple, name, words));
  if ((name === 'eval' || name === 'source' || name === '.') && words.some((word) => word === null))
    add('unreadable', `what ${name} runs cannot be determined beforehand`);
  // Without operands its caller (`xargs`) names what goes.
  const named = words.filter((word) => word === null || !word.startsWith('-'));
  if (/^(?:rm|rmdir|shred|unlink)$/.test(name) && (named.length === 0 || named.includes(null)))
    add('destructive', `what ${name} removes cannot be determined beforehand`);
  if (
    /^(?:chmod|chown|chgrp|ln)$/.test(name) &&
    words.some((w) => w === null || /^(?:\/(?!workspace)|~)/.test(w))
  )
    add('write', `${name} may change permissions or links outside the workspace`);
  if (name === 'git') found.push(...ofGit(words));
  if (/^(?:env|printenv|set|export|declare)$/.test(name) && simple.intoPipe)
    add('secret', 'it passes environment variables to another program');
  if (
    simple.assignments.some((word) =>
      /^(?:LD_PRELOAD|LD_LIBRARY_PATH|PATH|IFS|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|GIT_SSH_COMMAND)=/.test(
        word,
      ),
    )
  )
    add('unreadable', 'it changes how commands are found or loaded');
  if (
    simple.redirects.some(({ target }) => target?.startsWith('/dev/tcp/') || target?.startsWith('/dev/udp/'))
  )
    add('network', 'it opens a network connection');
  return found;
}

function ofShell(simple: SimpleCommand, name: string, words: readonly (string | null)[]): CommandFinding[] {
  const found: CommandFinding[] = [];
  if (simple.fromPipe && !words.some((word) => word !== null && !word.startsWith('-')))
    found.push({ class: 'unreadable', why: `${name} runs what another command prints` });
  const script = words.findIndex((word) => word !== null && /^-[a-z]*c[a-z]*$/.test(word));
  if (script >= 0 && words[script + 1] === null)
    found.push({ class: 'unreadable', why: `what ${name} -c runs cannot be determined beforehand` });
  if (simple.redirects.some((r) => r.operator === '<<<' || (r.operator === '<' && r.target === null)))
    found.push({ class: 'unreadable', why: `what ${name} runs cannot be determined beforehand` });
  return found;
}

function ofInterpreter(
  simple: SimpleCommand,
  name: string,
  words: readonly (string | null)[],
): CommandFinding[] {
  const found: CommandFinding[] = [];
  const awk = name.endsWith('awk');
  if (simple.fromPipe && (words.length === 0 || words[0] === '-'))
    found.push({ class: 'unreadable', why: `${name} runs what another command prints` });
  const code = [...words, ...simple.heredocs.map((heredoc) => heredoc.text)];
  if (code.some((word) => word !== null && codeRisk.test(awk ? word.replaceAll('`', '') : word)))
    found.push({ class: 'unreadable', why: `the ${name} code may start programs or use the network` });
  if (words.some((word, i) => word === null && /^-[a-zA-Z]*[ce]$/.test(words[i - 1] ?? '')))
    found.push({ class: 'unreadable', why: `what the ${name} code does cannot be determined beforehand` });
  return found;
}

/** Sub-commands that leave the machine or change how git behaves; `clean` and a hard reset lose work. */
function ofGit(words: readonly (string | null)[]): CommandFinding[] {
  const found: CommandFinding[] = [];
  const has = (pattern: RegExp) => words.some((word) => word !== null && pattern.test(word));
  if (has(/^(?:push|remote|config|clone|fetch|pull|submodule)$/))
    found.push({ class: 'network', why: 'git uses the network or changes its configuration' });
  if (has(/^clean$/) || (has(/^reset$/) && has(/^--hard$/)))
    found.push({ class: 'destructive', why: 'git discards work' });
  if (has(/^(?:-c|--exec-path|--upload-pack)/))
    found.push({ class: 'unreadable', why: 'git is set to run other programs' });
  return found;
}
