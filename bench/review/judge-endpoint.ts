import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { childCommand } from '../child-process';

/** Characters at the end of a request, which say what is asked. */
const END = 4_096;

/** `MS`: a judge that keeps every turn, and takes so long for it. Prints its base URL; ends with its input. */
export async function serveJudge([milliseconds = '']: readonly string[]): Promise<void> {
  const server = createServer((request, response) => {
    let bytes = 0;
    let end = '';
    request.setEncoding('latin1').on('data', (piece: string) => {
      bytes += piece.length;
      end = (end + piece).slice(-END);
    });
    request.on('end', async () => {
      await pause(Number(milliseconds));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(keepAll(end, bytes));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
  await once(process.stdin.resume(), 'end');
  server.closeAllConnections();
  server.close();
}

/** The answer as it is streamed. A real endpoint shares no processor with whoever asks it, so this one looks at nothing but the numbers. */
function keepAll(end: string, bytes: number): string {
  const asked = /Judge turns? ([\d, ]+)\./.exec(end.slice(end.lastIndexOf('Judge turn')))?.[1] ?? '';
  const turns = asked.split(', ').map((turn) => {
    const rest = { reason: 'sound', confidence: 0.9, why: 'Because.', cites: [] };
    return { turn: Number(turn), verdict: 'keep', ...rest };
  });
  const call = { name: 'judge_turns', arguments: JSON.stringify({ turns }) };
  const tokens = { prompt_tokens: Math.ceil(bytes / 4), completion_tokens: 25 * turns.length };
  const chunks = [
    {
      choices: [
        { index: 0, delta: { tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: call }] } },
      ],
    },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: tokens },
  ];
  const events = chunks.map((chunk) => `data: ${JSON.stringify({ id: 'answer', ...chunk })}\n\n`);
  return `${events.join('')}data: [DONE]\n\n`;
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
