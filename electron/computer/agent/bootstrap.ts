import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WaymarkError } from '@shared/contract/errors';

/** Programs that can be the helper on a host, in the order they are tried. */
export type HelperKind = 'perl' | 'python3';

/** The helper's program for each kind (`docs/host-agent.md`). */
export type AgentSources = Readonly<Record<HelperKind, Uint8Array>>;

export interface StartedAgent {
  helper: HelperKind;
  /** Of the program that runs it, on the host. */
  path: string;
}

export const helperKinds: readonly HelperKind[] = ['perl', 'python3'];

/** What login shells may print before the helper speaks; more is a shell that does something else. */
const maxNoiseBytes = 64 * 1024;

const folders: Record<HelperKind, { folder: string; ending: string }> = {
  perl: { folder: 'perl', ending: '.pl' },
  python3: { folder: 'python', ending: '.py' },
};

/** The helper's programs as shipped: the parts of each, joined in the order of their names. `resourcesDir`: the application's. */
export async function readAgentSources(resourcesDir: string): Promise<AgentSources> {
  const [perl, python3] = await Promise.all(
    helperKinds.map(async (kind) => {
      const { folder, ending } = folders[kind];
      const directory = join(resourcesDir, 'agent', folder);
      const names = (await readdir(directory)).filter((name) => name.endsWith(ending)).sort();
      const parts = await Promise.all(names.map((name) => readFile(join(directory, name))));
      return new Uint8Array(Buffer.concat(parts));
    }),
  );
  return { perl: perl ?? new Uint8Array(0), python3: python3 ?? new Uint8Array(0) };
}

/** What proves that a kind can run the helper: everything it loads. */
const checks: Record<HelperKind, string> = {
  perl: 'perl -MPOSIX -MFcntl -MErrno -MSocket -MCwd -MIO::Handle -e 1',
  python3: 'python3 -I -c "import sys,fcntl,termios,select;sys.exit(sys.version_info<(3,6))"',
};

/** Reads a line with a length and then that many bytes, from standard input and not one more, and runs them. */
const loaders: Record<HelperKind, { run: string; program: string }> = {
  perl: {
    run: 'perl -C0 -e "$1"',
    program:
      'binmode STDIN;$l="";while(sysread STDIN,$c,1){last if$c eq chr 10;$l.=$c}$s="";' +
      'while(length$s<$l){sysread(STDIN,$s,$l-length$s,length$s)or exit 1}eval$s;die$@if$@',
  },
  python3: {
    run: 'python3 -I -c "$2"',
    program:
      'import os;f=open(0,"rb",0,closefd=False);n=int(f.readline()or 0);s=b"";' +
      'exec("while len(s)<n:s+=f.read(n-len(s))or os._exit(1)");exec(compile(s,"agent.py","exec"))',
  },
};

/**
 * The command that makes a host ready to take the helper's source. One line of single-quoted pieces without quotes, backslashes,
 * newlines or `!` in them, which sh, bash, zsh, csh, tcsh and fish read alike. `nonce`: letters and digits.
 */
export function bootstrapCommand(nonce: string, helpers: readonly HelperKind[] = helperKinds): string {
  if (!/^[A-Za-z0-9]{8,64}$/.test(nonce)) throw new RangeError('A nonce is 8 to 64 letters and digits.');
  const tries = helpers.map(
    (kind) =>
      `if p=$(command -v ${kind}) && ${checks[kind]} </dev/null >/dev/null 2>&1; ` +
      `then echo; echo "WAYMARK-BOOT $0 ${kind} $p"; exec ${loaders[kind].run}; fi; ` +
      `if test "$p"; then m="$m ${kind}=unfit"; else m="$m ${kind}=missing"; fi; `,
  );
  const script = `m=; ${tries.join('')}echo; echo "WAYMARK-BOOT $0 none$m"`;
  return `sh -c '${script}' ${nonce} '${loaders.perl.program}' '${loaders.python3.program}'`;
}

export interface AgentStart {
  /** The one in the bootstrap command. */
  nonce: string;
  sources: AgentSources;
  signal: AbortSignal;
}

/**
 * Waits for the bootstrap's line among what a login shell prints, and sends the program of the helper it found. The next byte
 * of the stream is the protocol's first; nothing is lost until somebody listens. The caller closes it on failure, and always listens for
 * its errors.
 * @throws WaymarkError unsupported, when the host has no program to run the helper or its shell does something else;
 *   the signal's reason
 */
export async function startAgent(stream: Duplex, options: AgentStart): Promise<StartedAgent> {
  const [helper = '', ...others] = await bootLine(stream, options);
  if (helper === 'perl' || helper === 'python3') {
    const source = options.sources[helper];
    stream.write(Buffer.concat([Buffer.from(`${source.length}\n`), source]));
    return { helper, path: others.join(' ') };
  }
  throw new WaymarkError('unsupported', `Sessions need perl or python3 on the host: ${lacking(others)}.`);
}

function lacking(words: readonly string[]): string {
  const texts = words.map((word) => {
    const [kind = '', problem] = word.split('=');
    if (problem === 'missing') return `${kind} is not installed`;
    return kind === 'perl'
      ? 'its perl lacks standard modules'
      : `its ${kind} is older than 3.6 or incomplete`;
  });
  return `${texts.join(', and ')}. Install perl (package perl-base or perl)`;
}

/** The words after the nonce. */
function bootLine(stream: Duplex, { nonce, signal }: AgentStart): Promise<string[]> {
  const wanted = Buffer.from(`\nWAYMARK-BOOT ${nonce} `);
  return new Promise((resolve, reject) => {
    // A line begins where the stream does.
    let seen = Buffer.from('\n');
    const settle = (act: () => void) => {
      // With 'readable' nothing flows, also after the listener is gone; 'data' would lose what comes in between.
      stream.off('readable', onReadable);
      stream.off('error', onError);
      stream.off('end', onEnd);
      stream.off('close', onEnd);
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onReadable = () => {
      for (let piece: Buffer | null = stream.read(); piece !== null; piece = stream.read()) {
        seen = Buffer.concat([seen, piece]);
        const at = seen.indexOf(wanted);
        const end = at < 0 ? -1 : seen.indexOf(0x0a, at + wanted.length);
        if (end >= 0) {
          const words = seen.toString('utf8', at + wanted.length, end).split(' ');
          if (end + 1 < seen.length) stream.unshift(seen.subarray(end + 1));
          return settle(() => resolve(words));
        }
        if (seen.length > maxNoiseBytes) {
          return settle(() => reject(noHelper(`printed more than ${maxNoiseBytes / 1024} KB instead`, seen)));
        }
      }
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onEnd = () => settle(() => reject(noHelper('ended before that', seen)));
    const onAbort = () => settle(() => reject(signal.reason));
    stream.on('readable', onReadable);
    stream.on('error', onError);
    stream.on('end', onEnd);
    stream.on('close', onEnd);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

const shownNoise = 200;

function noHelper(what: string, seen: Buffer): WaymarkError {
  const first = seen
    .toString('utf8', 0, 4096)
    .split('\n')
    .map((line) => line.replace(/[\x00-\x1f\x7f-\x9f]/g, '').trim())
    .find((line) => line !== '');
  const said = first === undefined ? '' : ` It said: "${first.slice(0, shownNoise)}".`;
  return new WaymarkError(
    'unsupported',
    `The login shell of the host was to start a helper program, and ${what}.${said} Make its start files silent and let it run sh.`,
  );
}
