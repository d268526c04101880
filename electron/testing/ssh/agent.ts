import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../deadline';
import { run } from './namespaces';

export interface TestAgent {
  socket: string;
  add(keyFile: string): Promise<void>;
  stop(): void;
}

/** A real ssh-agent with a socket in a folder of the test's. It ends with this process. */
export async function startAgent(folder: string): Promise<TestAgent> {
  const socket = join(folder, 'agent');
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'ssh-agent', '-D', '-a', socket], {
    stdio: 'ignore',
  });
  await eventually('the agent listens', () => existsSync(socket));
  return {
    socket,
    add: async (keyFile) => {
      await run('env', [`SSH_AUTH_SOCK=${socket}`, 'ssh-add', '-q', keyFile]);
    },
    stop: () => child.kill('SIGKILL'),
  };
}
