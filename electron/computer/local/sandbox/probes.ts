import { randomBytes } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { shellQuote } from '../../../base/shell-quote';
import type { SandboxView } from './sandbox-view';
import { spawnInside } from './spawn-inside';

/** All probes together may take so long, ms. */
const limitMs = 2_000;

/** What a probe tried that must not work. The words go into messages. */
export const probes = {
  environ: "read the driver's environment",
  signal: 'send a signal to the driver',
  trace: 'trace the driver',
  processes: 'see processes outside of the sandbox',
  planted: "read a file in the application's data",
  home: "see the person's home",
  runs: 'see the folders of other runs',
  write: 'write outside of its own folders',
  sockets: 'reach sockets of the desktop or of the ssh agent',
  abstract: 'reach abstract sockets of the desktop',
  network: 'reach the network, which the task does not give it',
  sysctl: 'change settings of the kernel',
  mount: 'mount a file system',
  privileges: 'gain privileges',
} as const;
export type Probe = keyof typeof probes;

export interface ProbeOrder {
  /** `bwrap` and its arguments, without the program to run. */
  command: readonly string[];
  view: SandboxView;
  /** The workspace: its data are the application's. */
  workspace: string;
  /** The run whose work folder may be seen. */
  run: string;
}

/** What succeeded of all that was tried; `broken`: the sandbox did not start or did not answer in time, with its words. */
export type Probed = { kind: 'tried'; escaped: Probe[] } | { kind: 'broken'; said: string };

/** Tries to get out of a sandbox of that view in every way the list has, all in one process, before a run starts or goes on. */
export async function probeSandbox(order: ProbeOrder): Promise<Probed> {
  const { workspace, command } = order;
  const marker = join(workspace, `.probe-${randomBytes(8).toString('hex')}`);
  writeFileSync(marker, 'planted', { flag: 'wx', mode: 0o600 });
  try {
    const said = await listening(order.view.network, (port) => say(command, scriptOf(order, marker, port)));
    const words = said.split('\n');
    if (!words.includes('DONE')) {
      return { kind: 'broken', said: words.join(' ').trim().slice(0, 300) };
    }
    const escaped = (Object.keys(probes) as Probe[]).filter((probe) => words.includes(`ESCAPED ${probe}`));
    return { kind: 'tried', escaped };
  } finally {
    rmSync(marker);
  }
}

/** Where there is to be no network, something of the driver listens on this machine for what must not arrive. */
async function listening<T>(network: boolean, work: (port: number | null) => Promise<T>): Promise<T> {
  if (network) return work(null);
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

function say(command: readonly string[], script: string): Promise<string> {
  const options = ['--die-with-parent', '--remount-ro', '/', '--chdir', '/'];
  const program = ['/bin/sh', '-c', script];
  return new Promise((resolve) => {
    const { child } = spawnInside({
      command,
      options,
      program,
      spawn: {
        cwd: '/',
        env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    });
    let out = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    const collect = (piece: Buffer) => {
      out = (out + piece.toString()).slice(-20_000);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => {
      out += error.message;
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const late = signal === 'SIGKILL' ? `no answer within ${limitMs / 1000} s` : '';
      // Not a word of its own: what it ended with is all there is to say.
      resolve(out.trim() || late || `bubblewrap (${command[0]}) ended with exit code ${code}`);
    });
  });
}

/** Numbers of processes mean others inside: the driver is known by the namespace it is in. */
function scriptOf({ view, workspace, run }: ProbeOrder, marker: string, port: number | null): string {
  const driver = process.pid;
  const own = new Set(namesBelow(homedir(), [view.work, ...view.folders.map(({ path }) => path)]));
  // The account may have none.
  const atHome = existsSync(homedir()) ? readdirSync(homedir()).filter((name) => !own.has(name)) : [];
  const others = readdirSync(join(workspace, 'runs')).filter((name) => name !== run);
  const outside = [workspace, join(workspace, 'runs', run), homedir(), '/etc', '/usr', '/'];
  return `
exec 2>/dev/null
escaped() { echo "ESCAPED $1"; }
own=$(readlink /proc/self/ns/pid)
if [ "$own" = ${shellQuote(readlinkSync('/proc/self/ns/pid'))} ]; then
  escaped processes
  cat /proc/${driver}/environ >/dev/null && escaped environ
  kill -0 ${driver} && escaped signal
  perl -e 'exit(syscall((POSIX::uname())[4] eq "aarch64" ? 117 : 101, 0x4206, ${driver}, 0, 0) != 0)' -MPOSIX && escaped trace
else
  for p in /proc/[0-9]*; do [ "$(readlink $p/ns/pid)" = "$own" ] || [ ! -e $p/ns/pid ] || { escaped processes; cat $p/environ >/dev/null && escaped environ; }; done
fi
cat ${shellQuote(marker)} >/dev/null && escaped planted
for f in ${atHome.map((name) => shellQuote(join(homedir(), name))).join(' ')}; do [ -e "$f" ] && escaped home && break; done
for f in ${others.map((name) => shellQuote(join(workspace, 'runs', name))).join(' ')}; do [ -e "$f" ] && escaped runs && break; done
${outside.map(writeProbe).join('\n')}
for f in ${sockets().map(shellQuote).join(' ')}; do [ -S "$f" ] && escaped sockets && break; done
${abstractSockets().map(abstractProbe).join('\n')}
${port === null ? '' : networkProbe(port)}
( : >>/proc/sys/kernel/core_uses_pid ) && escaped sysctl
mkdir -p /tmp/.probe && mount -t tmpfs none /tmp/.probe && escaped mount
rmdir /tmp/.probe
grep -q '^NoNewPrivs:[^0-9]*1' /proc/self/status || escaped privileges
grep -q '^CapEff:[^0-9]*0*$' /proc/self/status || escaped privileges
echo DONE
`;
}

/** A folder of that path inside may be another one: then what is written there stays in the sandbox. */
function writeProbe(folder: string): string {
  const { dev, ino } = statSync(folder);
  const file = shellQuote(join(folder, '.waymark-probe'));
  return `[ "$(stat -c %d:%i ${shellQuote(folder)})" = ${dev}:${ino} ] && ( : >${file} ) && { rm -f ${file}; escaped write; }`;
}

/** First names below `folder` of paths that lie in it: they are there because the view shows something of it. */
function namesBelow(folder: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const [name] = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/') : [];
    return name === undefined ? [] : [name];
  });
}

/** Where the ssh agent, the session's bus and the screen listen. */
function sockets(): string[] {
  const {
    SSH_AUTH_SOCK,
    DBUS_SESSION_BUS_ADDRESS = '',
    XDG_RUNTIME_DIR,
    WAYLAND_DISPLAY,
    DISPLAY,
  } = process.env;
  const bus = /unix:path=([^,;]+)/.exec(DBUS_SESSION_BUS_ADDRESS)?.[1];
  const runtime = XDG_RUNTIME_DIR ?? `/run/user/${process.getuid?.() ?? 0}`;
  const screen = /^:(\d+)/.exec(DISPLAY ?? '')?.[1];
  return [
    ...(SSH_AUTH_SOCK === undefined ? [] : [SSH_AUTH_SOCK]),
    ...(bus === undefined ? [] : [bus]),
    ...[
      join(runtime, 'bus'),
      join(runtime, WAYLAND_DISPLAY ?? 'wayland-0'),
      '/run/dbus/system_bus_socket',
      '/var/run/docker.sock',
    ],
    ...(screen === undefined ? [] : [`/tmp/.X11-unix/X${screen}`]),
  ];
}

/** Nothing of this machine answers, and no way leads out: a route that is not the sandbox's own loopback. */
function networkProbe(port: number): string {
  return `bash -c ': >/dev/tcp/127.0.0.1/${port}' && escaped network
{ tail -n +2 /proc/net/route; grep -v ' lo$' /proc/net/ipv6_route; } | grep -q . && escaped network`;
}

/** Those of the desktop: they belong to the network's namespace, so a sandbox with the machine's network has them. */
function abstractSockets(): string[] {
  const names = readFileSync('/proc/net/unix', 'latin1')
    .split('\n')
    .flatMap((line) => /@(\S*(?:\.X11-unix|dbus|ssh-agent)\S*)$/.exec(line)?.[1] ?? []);
  return [...new Set(names)].filter((name) => /^[\w./-]+$/.test(name)).slice(0, 20);
}

/** A screen answers whoever may use it with 1; others are reached when they take the connection. */
function abstractProbe(name: string): string {
  const isScreen = name.includes('.X11-unix');
  const asks = isScreen
    ? 'syswrite $s, pack("A1xvvvvv", "l", 11, 0, 0, 0, 0); alarm 1; sysread $s, my $b, 1; exit(ord($b) != 1)'
    : 'exit 0';
  return `perl -MSocket -e 'socket my $s, PF_UNIX, SOCK_STREAM, 0; connect $s, pack("Sa*", 1, "\\0${name}") or exit 1; ${asks}' && escaped abstract`;
}
