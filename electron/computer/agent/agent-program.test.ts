import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProgram } from './agent-program-client';
import { type AgentSources, readAgentSources } from './bootstrap';

const resourcesDir = resolve(import.meta.dirname, '../../../resources');
describe('smoke', () => {
  it('hello', async () => {
    const sources: AgentSources = await readAgentSources(resourcesDir);
    const home = await mkdtemp(join(tmpdir(), 'wm-agent-'));
    const a = await AgentProgram.start({ sources, helper: 'perl', env: { PATH: process.env.PATH, HOME: home } });
    console.log(await a.ask('hello', ['1']));
    console.log(await a.ask('ping', []));
    console.log(await a.ask('f.stat', ['/etc/passwd']));
    console.log(await a.ask('nix', ['/etc/passwd']));
    console.log((await a.ask('exec', ['/', 1000, 'A=5'], Buffer.from('echo $A; pwd; exit 3'))).fields);
    console.log(await a.end(), a.stderr);
  });
});
