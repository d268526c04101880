import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { Server } from 'ssh2';
import type { TestKey } from './keys';

export interface KeyboardRound {
  name: string;
  instructions: string;
  prompts: { prompt: string; echo: boolean }[];
  /** What lets one on to the next round. */
  expected: string[];
}

export interface KeyboardServer {
  address: string;
  port: number;
  user: string;
  /** Answers as they came, round by round. */
  answers: string[][];
  stop(): Promise<void>;
}

/**
 * A server that asks in several rounds, which a real sshd does only with PAM modules. It is ssh2's own, in this process;
 * everything else is tested against the real one. Commands print `in`.
 */
export async function startKeyboardServer(
  hostKey: TestKey,
  rounds: readonly KeyboardRound[],
): Promise<KeyboardServer> {
  const answers: string[][] = [];
  const server = new Server({ hostKeys: [readFileSync(hostKey.file)] }, (client) => {
    client.on('error', () => undefined); // a client that hangs up is no failure of the server
    client.on('authentication', (context) => {
      if (context.method !== 'keyboard-interactive') {
        context.reject(['keyboard-interactive']);
        return;
      }
      const ask = (index: number) => {
        const round = rounds[index];
        if (!round) {
          context.accept();
          return;
        }
        context.prompt(round.prompts, round.name, round.instructions, (given) => {
          answers.push(given);
          if (given.join('\0') === round.expected.join('\0')) ask(index + 1);
          else context.reject(['keyboard-interactive']);
        });
      };
      ask(0);
    });
    client.on('session', (accept) => {
      accept().on('exec', (accepted) => {
        const channel = accepted();
        channel.write('in\n');
        channel.exit(0);
        channel.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: '127.0.0.1',
    port,
    user: 'tester',
    answers,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Something that listens and is no ssh server: it sends `greeting` and waits. */
export async function startOtherServer(
  greeting: string,
  close: boolean,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the client goes when it has seen enough
    socket.resume(); // or its going is not noticed
    socket.write(greeting);
    if (close) socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
