import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { startScriptedModel } from '../../electron/model/scripted-server';
import { judgeAnswer } from '../../electron/testing/scripted-judges';
import { childCommand } from '../child-process';

/** `MS`: a judge that keeps every turn, and takes so long for it. Prints its base URL; ends with its input. */
export async function serveJudge([milliseconds = '']: readonly string[]): Promise<void> {
  const { baseUrl, close } = await startScriptedModel({
    policy: async (request) => {
      await pause(Number(milliseconds));
      return { ...judgeAnswer(request, () => 'keep'), pieceLength: 100_000 };
    },
  });
  process.stdout.write(`${baseUrl}\n`);
  await once(process.stdin.resume(), 'end');
  await close();
}

/** Such a judge in a process of its own, as an endpoint is: it takes no time from the thread of whoever asks it. */
export async function startJudge(answerMs: number): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const [node, ...args] = childCommand('judge-endpoint', [String(answerMs)]);
  const child = spawn(node, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  const [line] = await Promise.race([once(child.stdout, 'data'), gone.then(() => [''])]);
  const baseUrl = String(line).trim();
  if (baseUrl === '') throw new Error('The endpoint of the bench did not start.');
  return {
    baseUrl,
    async close() {
      child.stdin.end();
      await gone;
    },
  };
}
