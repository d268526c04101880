import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentClient } from './agent-client';

/** What a session is made of on the host, named as `start` wants it. */
export interface PutResources {
  startFile: string;
  kinds: string;
}

/** The programs every session needs, put on a host once per channel unless it has them from before. */
export class SessionResources {
  private readonly directory: string;
  private sources: Promise<{ bytes: Uint8Array; sha256: string }[]> | undefined;
  private readonly put = new WeakMap<AgentClient, Promise<PutResources>>();

  /** `resourcesDir`: the application's `resources` directory. */
  constructor(resourcesDir: string) {
    this.directory = join(resourcesDir, 'sessions');
  }

  /** @throws AgentRefusal, ChannelLost */
  putOn(client: AgentClient): Promise<PutResources> {
    const known = this.put.get(client);
    if (known) return known;
    const putting = this.putAll(client);
    this.put.set(client, putting);
    // The next session tries again.
    putting.catch(() => this.put.delete(client));
    return putting;
  }

  private async putAll(client: AgentClient): Promise<PutResources> {
    const names = ['session.bash', 'supervisor.pl', 'supervisor.py'];
    this.sources ??= Promise.all(names.map((name) => source(join(this.directory, name))));
    const sources = await this.sources;
    await Promise.all(
      sources.map(async ({ bytes, sha256 }) => {
        const { fields } = await client.request('resource', [sha256]);
        if (fields[0] === 'need') await client.request('resource', [sha256], { body: bytes });
      }),
    );
    const [start, perl, python] = sources.map(({ sha256 }) => sha256);
    return { startFile: `.resource-${start}`, kinds: `perl:${perl},python3:${python}` };
  }
}

async function source(path: string): Promise<{ bytes: Uint8Array; sha256: string }> {
  const bytes = await readFile(path);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}
