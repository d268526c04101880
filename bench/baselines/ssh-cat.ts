import { spawn } from 'node:child_process';

/** A host as OpenSSH's own client reaches it. */
export interface SshTarget {
  /** Configuration file for `ssh -F`. */
  config: string;
  alias: string;
}

/** `ssh -tt HOST cat FILE`, read to its end. Returns MB (10⁶ bytes) per second as they arrive here. */
export async function sshCat({ config, alias }: SshTarget, file: string): Promise<number> {
  const start = performance.now();
  const bytes = await new Promise<number>((resolve, reject) => {
    const child = spawn('ssh', ['-F', config, '-tt', alias, `cat ${file}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let received = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(received) : reject(new Error(`ssh ended with ${code}`)),
    );
  });
  return bytes / 1e6 / ((performance.now() - start) / 1000);
}
