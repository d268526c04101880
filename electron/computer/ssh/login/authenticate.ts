import { existsSync } from 'node:fs';
import type { AnyAuthMethod } from 'ssh2';
import type { ResolvedHost } from '../config/resolved-host';
import type { HopContext } from '../ssh2/ssh2-hop';
import { ConnectFailure } from '../transport';
import { type AgentKey, beyondSsh2, type Identity, listAgentKeys, readIdentity } from './identity';
import { type Candidate, OneKeyAgent, type SignerEvents } from './one-key-agent';

interface Candidates {
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
async function findCandidates(host: ResolvedHost): Promise<Candidates> {
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

interface KeyboardState {
  attempts: number;
  round: number;
  /** The host asked something in the last attempt; one that never asks is not tried again. */
  asked: boolean;
}

/**
 * Which way to log in is tried next, in the user's order (PreferredAuthentications) and as far as the host still takes it.
 * Secrets pass through; nothing keeps them.
 */
export class Authentication {
  private candidates: Candidates | undefined;
  private keysLeft: Candidate[] = [];
  private readonly accepted: Candidate[] = [];
  private current: Candidate | undefined;
  /** What the host takes, as it last said; undefined before it said anything. */
  private taken: readonly string[] | undefined;
  private readonly exhausted = new Set<string>();
  private passwords = 0;
  private keyboard: KeyboardState = { attempts: 0, round: 0, asked: false };
  private readonly tried: string[] = [];
  private readonly notes: string[] = [];

  constructor(
    private readonly hop: HopContext,
    private readonly events: Pick<SignerEvents, 'refuse'>,
  ) {}

  /** What let the person in, for the report of the stage. */
  get succeededBy(): string {
    const last = this.tried.at(-1) ?? 'no proof at all: the host asked for none';
    return this.accepted.length > 0
      ? `${this.accepted.map(({ label }) => label).join(', ')}, then ${last}`
      : last;
  }

  /** The host turned the last try down, or took it as one of several that it wants. */
  refused(taken: readonly string[], partial: boolean): void {
    this.taken = taken;
    if (!partial) return;
    if (this.current) this.accepted.push(this.current);
    this.hop.report(
      'auth',
      'running',
      `${this.tried.at(-1) ?? 'The first proof'} was accepted; the host wants another proof.`,
    );
    this.exhausted.clear();
    this.passwords = 0;
    this.keyboard = { attempts: 0, round: 0, asked: false };
    // A key that counted already would not count again.
    this.keysLeft = (this.candidates?.keys ?? []).filter((key) => !this.accepted.includes(key));
  }

  /** The next try. @throws ConnectFailure when there is none */
  async next(): Promise<AnyAuthMethod> {
    const { host } = this.hop;
    // As ssh: the answer to this tells what the host takes.
    if (this.taken === undefined) return { type: 'none', username: host.user };
    this.current = undefined;
    for (const method of host.authentications) {
      if (!this.taken.includes(method) || this.exhausted.has(method)) continue;
      const attempt = await this.attempt(method);
      if (attempt) return attempt;
      this.exhausted.add(method);
    }
    throw this.failure();
  }

  private async attempt(method: string): Promise<AnyAuthMethod | undefined> {
    switch (method) {
      case 'publickey':
        return this.nextKey();
      case 'password':
        return this.nextPassword();
      case 'keyboard-interactive':
        return this.nextKeyboard();
      default:
        return undefined;
    }
  }

  private async nextKey(): Promise<AnyAuthMethod | undefined> {
    if (!this.candidates) {
      this.candidates = await findCandidates(this.hop.host);
      this.keysLeft = [...this.candidates.keys];
    }
    for (let key = this.keysLeft.shift(); key; key = this.keysLeft.shift()) {
      const agent = await OneKeyAgent.make(key, this.hop, {
        refuse: this.events.refuse,
        note: (text) => this.notes.push(text),
      });
      if (!agent) continue;
      this.current = key;
      this.tried.push(`the key ${key.label}`);
      return { type: 'agent', username: this.hop.host.user, agent };
    }
    return undefined;
  }

  private async nextPassword(): Promise<AnyAuthMethod | undefined> {
    const { host, ask, target } = this.hop;
    if (this.passwords >= host.passwordPrompts) return undefined;
    this.passwords += 1;
    const answer = await ask({ kind: 'password', attempt: this.passwords });
    if (answer === null || !('texts' in answer)) throw calledOff(target);
    this.tried.push('a password');
    return { type: 'password', username: host.user, password: answer.texts[0] ?? '' };
  }

  private nextKeyboard(): AnyAuthMethod | undefined {
    const { host } = this.hop;
    const { attempts, asked } = this.keyboard;
    if (attempts >= host.passwordPrompts || (attempts > 0 && !asked)) return undefined;
    this.keyboard = { attempts: attempts + 1, round: this.keyboard.round, asked: false };
    this.tried.push('answers to its questions (keyboard-interactive)');
    return {
      type: 'keyboard-interactive',
      username: host.user,
      prompt: (name, instructions, _language, prompts, finish) => {
        this.keyboard.asked = true;
        this.keyboard.round += 1;
        const fields = prompts.map(({ prompt, echo }) => ({ prompt, echo: echo === true }));
        this.hop
          .ask({ kind: 'keyboard', name, instructions, fields, round: this.keyboard.round })
          .then((answer) => {
            if (answer === null || !('texts' in answer)) this.events.refuse(calledOff(this.hop.target));
            else finish(fields.map((_field, index) => answer.texts[index] ?? ''));
          })
          // The question was withdrawn because the connection ended, which is told elsewhere.
          .catch(() => undefined);
      },
    };
  }

  private failure(): ConnectFailure {
    const { host, target } = this.hop;
    const taken = this.taken ?? [];
    const tried = counted(this.tried);
    const beyond = this.candidates?.beyond ?? [];
    const elsewhere = taken.filter((method) => onlyOpenSsh.has(method));
    const notes = [...(this.candidates?.notes ?? []), ...this.notes].join('\n');
    const facts =
      `${target} did not let you in. Tried: ${tried.length > 0 ? tried.join(', ') : 'nothing, for want of a key or method that fits'}. ` +
      `The host takes: ${taken.join(', ') || 'nothing'}.`;
    if (beyond.length > 0 || elsewhere.length > 0) {
      const what = [...beyond, ...elsewhere].join(', ');
      return new ConnectFailure(
        'unsupported',
        'auth',
        `${facts} The built-in client cannot use: ${what}. Choose the system's OpenSSH client for this computer.`,
        notes,
      );
    }
    return new ConnectFailure(
      'auth',
      'auth',
      `${facts} ${nextStep(host.authentications, taken, tried.length > 0)}`,
      notes,
    );
  }
}

const onlyOpenSsh = new Set(['gssapi-with-mic', 'gssapi-keyex', 'hostbased']);

function nextStep(wanted: readonly string[], taken: readonly string[], anything: boolean): string {
  const off = taken.filter((method) => !wanted.includes(method));
  if (!anything && off.length > 0)
    return `Your configuration does not allow ${off.join(', ')}: see PreferredAuthentications and its neighbours.`;
  if (taken.includes('publickey') && !anything)
    return 'Name your key with IdentityFile, or load it into your agent.';
  return 'Check User and IdentityFile in your ssh configuration, and that the host knows your key or password.';
}

function counted(things: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const thing of things) counts.set(thing, (counts.get(thing) ?? 0) + 1);
  return [...counts].map(([thing, count]) => (count === 1 ? thing : `${thing} (${count} times)`));
}

function calledOff(target: string): ConnectFailure {
  return new ConnectFailure('cancelled', 'auth', `Logging in to ${target} was called off.`);
}
