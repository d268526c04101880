import { z } from 'zod';

/**
 * What a task says about shell commands: classes and rules as data. The classes of a command are found by
 * reading the shell text (`electron/actions/command-findings.ts`); here is what follows from them.
 */

/**
 * - `read`: looks at something. - `write`: changes files. - `network`: reaches another machine.
 * - `destructive`: removes or overwrites what may not come back. - `process_control`: acts on processes outside its session.
 * - `system`: raises rights, changes the machine, its accounts or its software. - `secret`: touches credentials.
 * - `unreadable`: what it does cannot be told without running it.
 */
export const commandClasses = [
  'read',
  'write',
  'network',
  'destructive',
  'process_control',
  'system',
  'secret',
  'unreadable',
] as const;
export type CommandClass = (typeof commandClasses)[number];

/** `ask` needs a person's word where approvals are on; `refuse` is answered with a message that teaches, always. */
export const commandDecisions = ['allow', 'ask', 'refuse'] as const;
export type CommandDecision = (typeof commandDecisions)[number];

const program = z
  .string()
  .regex(/^[A-Za-z0-9._+-]{1,64}$/, 'must be the name of a program, without its folder');

/** One rule of a task. It matches whole words of a command as the shell reads them, never pieces of text. */
export const commandRuleSchema = z.strictObject({
  /** Name of the program: `pip` matches `/usr/bin/pip`, not `pip3` and not `pipeline.py`. */
  program,
  /** Words that must all stand among its arguments, whole: `install`. */
  with: z.array(z.string().min(1).max(200)).max(20).default([]),
  decide: z.enum(commandDecisions),
  /** What the agent or the person reads; one sentence. */
  why: z.string().min(1).max(300),
});
export type CommandRule = z.infer<typeof commandRuleSchema>;

const decision = z.enum(commandDecisions);

/** `commands` of a task file. What no rule matches is decided by its classes, the strictest of them. */
export const commandPolicySchema = z
  .strictObject({
    classes: z
      .strictObject({
        read: decision.default('allow'),
        write: decision.default('ask'),
        network: decision.default('ask'),
        destructive: decision.default('ask'),
        process_control: decision.default('ask'),
        system: decision.default('ask'),
        secret: decision.default('ask'),
        unreadable: decision.default('ask'),
      })
      .prefault({}),
    /** The first that matches a command decides for it. */
    rules: z.array(commandRuleSchema).max(200).default([]),
  })
  .prefault({});
export type CommandPolicy = z.infer<typeof commandPolicySchema>;

/** Programs whose name alone says what they do, besides what they do to files. */
export const programClasses: readonly { names: string; class: CommandClass; why: string }[] = [
  {
    names: 'sudo su doas pkexec runuser chroot unshare nsenter setpriv',
    class: 'system',
    why: 'runs programs with other rights',
  },
  {
    names:
      'ssh scp sftp rsync nc ncat netcat socat telnet ftp curl wget aria2c rclone aws gsutil az gcloud huggingface-cli hf',
    class: 'network',
    why: 'uses the network',
  },
  {
    names: 'dd mkfs mount umount fdisk parted swapon losetup mkswap wipefs blkdiscard',
    class: 'destructive',
    why: 'works on disks and other devices',
  },
  { names: 'shred truncate', class: 'destructive', why: 'destroys the content of files' },
  {
    names: 'shutdown reboot halt poweroff systemctl service init crontab at batch launchctl',
    class: 'system',
    why: 'controls the machine and its services',
  },
  {
    names: 'iptables nft ip ifconfig route sysctl modprobe insmod rmmod',
    class: 'system',
    why: 'changes the network or the kernel of the system',
  },
  {
    names: 'useradd userdel usermod passwd chpasswd visudo groupadd',
    class: 'system',
    why: 'changes user accounts',
  },
  { names: 'apt apt-get dpkg yum dnf brew pacman snap', class: 'system', why: 'installs system software' },
  {
    names: 'nohup setsid disown kill pkill killall skill xkill',
    class: 'process_control',
    why: 'controls processes outside its session',
  },
  { names: 'docker podman kubectl', class: 'system', why: 'starts containers' },
  { names: 'gdb strace ptrace ltrace', class: 'secret', why: 'looks into other processes' },
];

const strictness: readonly CommandDecision[] = ['allow', 'ask', 'refuse'];

/** The strictest of several decisions; `allow` when there is none. */
export function strictest(decisions: readonly CommandDecision[]): CommandDecision {
  return decisions.reduce<CommandDecision>(
    (worst, each) => (strictness.indexOf(each) > strictness.indexOf(worst) ? each : worst),
    'allow',
  );
}
