import { existsSync } from 'node:fs';
import type { ResolvedHost } from '../config/resolve-host';
import { beyondSsh2, type Identity, readIdentity } from './identity';
import { type AgentKey, listAgentKeys } from './identity-agent';

/** A key to try: the agent signs with it, or its file is unlocked when the host wants it. */
export type Candidate =
  | { from: 'agent'; socket: string; blob: Buffer; type: string; label: string }
  | { from: 'file'; identity: Identity; label: string };

export interface Candidates {
  keys: Candidate[];
  /** What was passed over and why, for when nobody is let in. */
  notes: string[];
  /** What among it only the system's client could use. */
  beyond: string[];
}

/**
 * The keys to try, in OpenSSH's order: what the agent holds of the configured files, the agent's other keys unless
 * IdentitiesOnly, then the files that are left.
 */
export async function findCandidates(host: ResolvedHost): Promise<Candidates> {
  const found: Candidates = { keys: [], notes: [], beyond: [] };
  const files = await readFiles(host, found);
  const held = await askAgent(host, found);
  const later: Candidate[] = [];
  for (const { type, blob, comment } of held) {
    const need = beyondSsh2(type);
    if (need !== null) {
      found.beyond.push(`${need} (the agent's "${comment}")`);
      continue;
    }
    const index = files.findIndex((identity) => identity.blob?.equals(blob));
    const [configured] = index < 0 ? [] : files.splice(index, 1);
    const label = configured ? `${configured.file} through the agent` : `the agent's "${comment}"`;
    const candidate: Candidate = { from: 'agent', socket: host.agentSocket ?? '', blob, type, label };
    if (configured) found.keys.push(candidate);
    else if (!host.identitiesOnly) later.push(candidate);
  }
  found.keys.push(...later);
  for (const identity of files) {
    if (identity.privateText === null)
      found.notes.push(`${identity.file} is a public key and no agent holds its secret.`);
    else found.keys.push({ from: 'file', identity, label: identity.file ?? '' });
  }
  return found;
}

async function readFiles(host: ResolvedHost, found: Candidates): Promise<Identity[]> {
  const files: Identity[] = [];
  for (const file of host.identityFiles) {
    if (existsSync(`${file}-cert.pub`)) found.beyond.push(`certificates (${file}-cert.pub)`);
    const identity = await readIdentity(file);
    if ('problem' in identity) {
      // ssh's usual names are only tried; a file that somebody named should be there.
      if (identity.problem !== 'missing' || host.identitiesConfigured) found.notes.push(identity.message);
      continue;
    }
    const need = beyondSsh2(identity.type);
    if (need === null) files.push(identity);
    else found.beyond.push(`${need} (${file})`);
  }
  return files;
}

async function askAgent(host: ResolvedHost, found: Candidates): Promise<AgentKey[]> {
  if (host.agentSocket === null) return [];
  try {
    return await listAgentKeys(host.agentSocket);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    found.notes.push(`The agent at ${host.agentSocket} could not be asked: ${why}.`);
    return [];
  }
}
