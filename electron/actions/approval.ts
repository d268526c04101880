import {
  changes,
  commandName,
  everyCommand,
  looksAt,
  parseShell,
  type SimpleCommand,
} from '@shared/shell-command';
import type { ParsedCall } from '../agent/ports';
import type { ActionTaskView } from './task-view';
import { isInside } from './workspace-files';

/**
 * What a human must allow where approvals are on: commands that reach out of the workspace or the machine, that raise
 * rights, or that cannot be read for certain. What stays inside the workspace is not asked about. Reading a
 * command is an aid, not a boundary: the boundary is the account the computer's sessions run as.
 */
export function approvalQuestion(
  call: ParsedCall,
  task: ActionTaskView,
): { what: string; why: string } | null {
  if (call.name !== 'run_command') return null;
  const command = String(call.args.command ?? '');
  const why = [...new Set(reasons(command, task))];
  return why.length === 0 ? null : { what: command, why: `${why.slice(0, 5).join('; ')}.` };
}

const families: [string, string][] = [
  ['sudo su doas pkexec runuser chroot unshare nsenter setpriv', 'raises rights'],
  [
    'ssh scp sftp rsync nc ncat netcat socat telnet ftp curl wget aria2c rclone aws gsutil az',
    'reaches over the network',
  ],
  ['dd mkfs mount umount fdisk parted swapon losetup mkswap wipefs', 'works on devices'],
  ['shutdown reboot halt poweroff systemctl service init crontab at batch launchctl', 'controls the machine'],
  ['iptables nft ip ifconfig route sysctl modprobe insmod', 'changes the system'],
  ['useradd userdel usermod passwd chpasswd visudo groupadd', 'changes accounts'],
  ['apt apt-get dpkg yum dnf brew pacman snap', 'installs system software'],
  ['nohup setsid disown kill pkill killall', 'controls processes outside its session'],
  ['docker podman kubectl', 'starts containers'],
  ['gdb strace ptrace', 'looks into other processes'],
];
const risky = new Map(
  families.flatMap(([names, why]) => names.split(' ').map((name) => [name, why] as const)),
);
const shells = /^(?:sh|bash|dash|zsh|ksh|fish)$/;
const interpreters = /^(?:python[\d.]*|perl|ruby|node|php|lua|awk|gawk|mawk)$/;
const codeRisk =
  /\b(?:os\.(?:system|popen|exec\w*|remove|unlink|environ|kill)|subprocess|shutil\.rmtree|socket|urllib|requests|http\.client|ftplib|smtplib|child_process|__import__|eval\s*\(|exec\s*\(|base64|ctypes|system\s*\(|pty\.)/;
const secrets =
  /(?:^|\/)(?:\.ssh|\.aws|\.gnupg|\.netrc|\.docker|\.kube|\.config\/gcloud|\.huggingface|\.env(?:\.|$)|id_[a-z0-9]+$)|^\/etc\/(?:shadow|sudoers|passwd)|^\/proc\/(?:\d+|self)\/(?:environ|mem|fd)|^\/dev\/(?!null|stdout|stderr|stdin|zero|u?random|tty)/;

function reasons(command: string, task: ActionTaskView): string[] {
  const found: string[] = [];
  // Invisible and look-alike characters make a command read differently from what it does.
  if (/[\u0000-\u0008\u000b-\u001f\u007f\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/.test(command)) {
    found.push('it contains invisible characters');
  }
  if (/:\s*\(\)\s*\{.*\|.*&/.test(command)) found.push('it looks like a fork bomb');
  const commands = everyCommand(parseShell(command));
  for (const simple of commands) found.push(...ofCommand(simple));
  const root = task.workspaceRoot;
  const outside = (path: string) =>
    (path.startsWith('/') || path.startsWith('~') || path.startsWith('..')) && !isInside(path, root);
  for (const path of changes(command)) {
    if (outside(path) && !/^\/(?:tmp|dev\/shm)\//.test(path))
      found.push(`it changes ${path}, outside the workspace`);
    else if (path === root || path === '/' || path === '.') found.push(`it changes ${path} as a whole`);
  }
  for (const path of looksAt(command)) if (secrets.test(path)) found.push(`it reads ${path}`);
  for (const simple of commands) {
    const words = [...simple.argv.slice(1), ...simple.redirects.map((redirect) => redirect.target)];
    for (const word of words) if (word !== null && secrets.test(word)) found.push(`it names ${word}`);
  }
  return found;
}

function ofCommand(simple: SimpleCommand): string[] {
  const found: string[] = [];
  const [first] = simple.argv;
  const name = commandName(simple);
  if (first === null) found.push('what it runs depends on a variable or another command');
  else if (first !== undefined && /[^\x20-\x7e]/.test(first))
    found.push('a command name has unusual characters');
  const known = risky.get(name);
  if (known) found.push(`${name} ${known}`);
  const words = simple.argv.slice(1);
  if (shells.test(name)) {
    if (simple.fromPipe) found.push(`${name} runs what another command prints`);
    const script = words.findIndex((word) => word !== null && /^-[a-z]*c[a-z]*$/.test(word));
    if (script >= 0 && words[script + 1] === null) found.push(`what ${name} -c runs cannot be read`);
    if (simple.redirects.some((r) => r.operator === '<<<' || (r.operator === '<' && r.target === null))) {
      found.push(`what ${name} runs cannot be read`);
    }
  }
  if (interpreters.test(name)) {
    if (simple.fromPipe && words.length === 0) found.push(`${name} runs what another command prints`);
    const code = [...words, ...simple.heredocs.map((heredoc) => heredoc.text)];
    if (code.some((word) => word !== null && codeRisk.test(word)))
      found.push(`${name} code starts programs or reaches out`);
    if (words.some((word, i) => word === null && /^-[a-zA-Z]*[ce]$/.test(words[i - 1] ?? ''))) {
      found.push(`the ${name} code cannot be read`);
    }
  }
  if ((name === 'eval' || name === 'source' || name === '.') && words.some((word) => word === null)) {
    found.push(`what ${name} runs cannot be read`);
  }
  if (/^(?:rm|rmdir|shred|unlink)$/.test(name) && words.some((word) => word === null)) {
    found.push(`what ${name} removes cannot be read`);
  }
  if (
    /^(?:chmod|chown|chgrp|ln)$/.test(name) &&
    words.some((w) => w === null || /^(?:\/(?!workspace)|~)/.test(w))
  ) {
    found.push(`${name} touches rights or links by whole path`);
  }
  if (name === 'git' && words.some((word) => word !== null && /^(?:push|remote|config)$/.test(word))) {
    found.push('git reaches out or changes its configuration');
  }
  if (/^(?:env|printenv|set|export|declare)$/.test(name) && simple.intoPipe)
    found.push('it passes the environment on');
  if (
    simple.assignments.some((word) =>
      /^(?:LD_PRELOAD|LD_LIBRARY_PATH|PATH|IFS|BASH_ENV|PROMPT_COMMAND)=/.test(word),
    )
  ) {
    found.push('it changes how commands are found or loaded');
  }
  return found;
}
