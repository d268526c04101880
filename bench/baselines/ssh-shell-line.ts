import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SshTarget } from './ssh-cat';

/** A raw `ssh -tt` shell: `line()` types one and resolves with the ms until its answer is here. */
export interface RawShell {
  line(): Promise<number>;
  close(): Promise<void>;
}

export async function sshShell({ config, alias }: SshTarget): Promise<RawShell> {
  const child = spawn('ssh', ['-F', config, '-tt', alias, 'exec bash --norc --noprofile'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let text = '';
  let check: () => void = () => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    check();
  });
  const shows = (wanted: string) =>
    new Promise<void>((resolve) => {
      check = () => {
        if (text.includes(wanted)) resolve();
      };
      check();
    });
  let count = 0;
  const line = async () => {
    count += 1;
    text = '';
    const start = performance.now();
    // The answer is computed, so that the echo of the line is not taken for it.
    child.stdin.write(`true; echo "$((${count} + 1000000))."\n`);
    await shows(`${count + 1_000_000}.`);
    return performance.now() - start;
  };
  await line();
  return {
    line,
    close: async () => {
      child.stdin.end('exit\n');
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}
