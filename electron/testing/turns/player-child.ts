import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { WaymarkError } from '@shared/contract/errors';
import type { Store } from '../../store/api';
import { openStore } from '../../store/threads/client';
import { type Act, perform } from './act';
import { picture } from './picture';

/** What a player is asked; every line it reads is one, every line it prints an answer to the one before. */
export type Question =
  | { ask: 'act'; act: Act }
  | { ask: 'drain' }
  | { ask: 'picture' }
  | { ask: 'verify' }
  /** Drives the run until the process is killed; each recorded step is an answer. */
  | { ask: 'drive_on'; run: string }
  | { ask: 'close' };

export type Answer = { value: unknown } | { thrown: string };

/** A process with a workspace open that does what it is asked for. Argument: the workspace's folder. */
async function main(): Promise<void> {
  const [, entry = '', folder = ''] = process.argv;
  const store = await openStore(folder, { workerDir: dirname(entry), ballastBytes: 0, device: 'desk' });
  say({ value: 'open' });
  for await (const line of createInterface({ input: process.stdin })) {
    const question = JSON.parse(line) as Question;
    try {
      say({ value: (await answer(store, question)) ?? null });
    } catch (thrown) {
      say({ thrown: described(thrown) });
    }
    if (question.ask === 'close') break;
  }
  process.stdin.destroy();
}

async function answer(store: Store, question: Question): Promise<unknown> {
  switch (question.ask) {
    case 'act':
      return perform(store, question.act);
    case 'drain':
      return store.drain();
    case 'picture':
      return picture(store);
    case 'verify': {
      const { workspace, runs } = await store.reader.verify();
      return [...workspace, ...runs.flatMap(({ problems }) => problems)];
    }
    case 'drive_on':
      for (let step = 1; ; step += 1) {
        const steps = [{ output: `line ${step}\r\n`, exitCode: 0, hint: step % 2 === 0 ? 'On' : null }];
        await perform(store, { act: 'drive', run: question.run, uid: question.run, steps });
        say({ value: step });
      }
    case 'close':
      return store.close();
  }
}

function described(thrown: unknown): string {
  const detail = thrown instanceof WaymarkError ? ` (${thrown.code}: ${thrown.detail ?? ''})` : '';
  return `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}${detail}`;
}

function say(answer: Answer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
});
