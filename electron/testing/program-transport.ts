import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Transform } from 'node:stream';
import { onTestFinished } from 'vitest';
import { JoinedStream } from '../computer/ssh/ssh2/ssh2-joined-stream';
import { ConnectFailure, type HostChannel, type HostTransport, Tail } from '../computer/ssh/transport';

/** A "host" that runs commands as children of this process, over real pipes; its link fails as the test says. */
export class ProgramTransport implements HostTransport {
  /** Nobody answers at the door. */
  away = false;
  /** What is asked still arrives, and nothing comes back: a link that dies in the middle. */
  deaf = false;
  opened = 0;
  private readonly children = new Set<ChildProcessWithoutNullStreams>();

  constructor(private readonly environment: Readonly<Record<string, string>>) {
    // What a program still writes while it closes must not meet the removal of its folder.
    onTestFinished(() => this.allGone());
  }

  async open(command: string): Promise<HostChannel> {
    if (this.away) throw new ConnectFailure('tcp', 'tcp', 'The host does not answer.');
    this.opened += 1;
    const child = spawn('sh', ['-c', command], {
      env: { PATH: process.env.PATH, ...this.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.children.add(child);
    const errors = new Tail(child.stderr);
    const heard = child.stdout.pipe(
      new Transform({
        transform: (piece, _encoding, done) => (this.deaf ? done() : done(null, piece)),
      }),
    );
    const close = () => {
      child.stdin.end();
      child.stdout.destroy();
      heard.destroy();
    };
    const stream = new JoinedStream(heard, child.stdin, close);
    const closed = new Promise<{ reason: string }>((resolve) => {
      child.once('close', () => {
        this.children.delete(child);
        stream.lose();
        resolve({ reason: errors.text() });
      });
    });
    return { stream, closed, close };
  }

  private async allGone(): Promise<void> {
    const running = [...this.children].filter(
      ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
    );
    await Promise.all(running.map((child) => new Promise((resolve) => child.once('exit', resolve))));
  }

  /** Programs die at once, as their link would end them; what they started in sessions of its own lives on. */
  cut(): void {
    for (const { pid } of this.children) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }
}
