import { connect } from 'node:net';
import { keyTypeOf, readSshStrings } from './identity-wire';

export interface AgentKey {
  type: string;
  blob: Buffer;
  comment: string;
}

const listKeys = Buffer.from([0, 0, 0, 1, 11]); // SSH_AGENTC_REQUEST_IDENTITIES
const keysAnswer = 12; // SSH_AGENT_IDENTITIES_ANSWER
const limitMs = 5000;
const maxAnswer = 1 << 20;

/**
 * The keys an agent holds, also those that ssh2 could not use: a person is told why such a key was not tried.
 * @throws Error when the agent does not answer as one
 */
export function listAgentKeys(socket: string): Promise<AgentKey[]> {
  return new Promise((resolve, reject) => {
    const link = connect(socket);
    let answer = Buffer.alloc(0);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      link.destroy();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('it did not answer'))), limitMs);
    link.once('error', (error) => end(() => reject(error)));
    link.once('close', () => end(() => reject(new Error('it hung up'))));
    link.on('data', (bytes: Buffer) => {
      answer = Buffer.concat([answer, bytes]);
      const message = readSshStrings(answer, 1)?.strings[0];
      if (message) end(() => resolve(parseKeys(message)));
      else if (answer.length > maxAnswer) end(() => reject(new Error('its answer has no end')));
    });
    link.write(listKeys);
  });
}

function parseKeys(message: Buffer): AgentKey[] {
  if (message[0] !== keysAnswer || message.length < 5) return [];
  const keys: AgentKey[] = [];
  let rest = message.subarray(5);
  for (let left = message.readUInt32BE(1); left > 0; left -= 1) {
    const pair = readSshStrings(rest, 2);
    const [blob, comment] = pair?.strings ?? [];
    if (!pair || !blob || !comment) break;
    rest = pair.rest;
    keys.push({ type: keyTypeOf(blob), blob: Buffer.from(blob), comment: comment.toString('utf8') });
  }
  return keys;
}
