import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Answer, Question } from './player-child';

/** A process of its own that has the workspace open and does one thing after another. */
export class Player {
  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, null>,
    private readonly answers: AsyncIterator<string>,
  ) {}

  /** `workers`: folder of the bundled entries. */
  static async start(folder: string, workers: string): Promise<Player> {
    const child = spawn(process.execPath, [join(workers, 'player-child.js'), folder], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const player = new Player(child, createInterface({ input: child.stdout })[Symbol.asyncIterator]());
    await player.next();
    return player;
  }

  /** @throws Error with the other process's stack when it failed in a way that no act may. */
  async ask<T>(question: Question): Promise<T> {
    this.child.stdin.write(`${JSON.stringify(question)}\n`);
    return (await this.next()) as T;
  }

  /** Kills the process once it has acknowledged `steps` steps of a drive without end; how many it had in the end. */
  async killInDrive(run: string, steps: number): Promise<number> {
    this.child.stdin.write(`${JSON.stringify({ ask: 'drive_on', run } satisfies Question)}\n`);
    let acknowledged = 0;
    while (acknowledged < steps) acknowledged = (await this.next()) as number;
    const gone = once(this.child, 'close');
    this.child.kill('SIGKILL');
    // Lines that were on their way count: whoever reads them was told.
    for (let line = await this.answers.next(); line.done !== true; line = await this.answers.next()) {
      acknowledged = ((JSON.parse(line.value) as { value: number }).value satisfies number) ?? acknowledged;
    }
    await gone;
    return acknowledged;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await gone;
  }

  async close(): Promise<void> {
    const gone = once(this.child, 'close');
    await this.ask({ ask: 'close' });
    await gone;
  }

  private async next(): Promise<unknown> {
    const line = await this.answers.next();
    if (line.done === true) throw new Error('The process ended without an answer.');
    const answer = JSON.parse(line.value) as Answer;
    if ('thrown' in answer) throw new Error(answer.thrown);
    return answer.value;
  }
}
