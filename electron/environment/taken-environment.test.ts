import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, inject, it } from 'vitest';
import { keyPipe, sendKeys } from './key-pipe';
import { takenEnvironment } from './taken-environment';

describe('taking keys out of an environment', () => {
  it('takes what is named like a secret at once, and anything else when it is asked for', () => {
    const env: NodeJS.ProcessEnv = { PLANTED_API_KEY: 'sk-1', HF_TOKEN: 'hf', MODEL: 'plain', HOME: '/h' };
    const erased: string[] = [];
    const taken = takenEnvironment(env, {}, (names) => erased.push(...names));
    expect(env).toEqual({ MODEL: 'plain', HOME: '/h' });
    expect(taken.PLANTED_API_KEY).toBe('sk-1');
    expect(taken.MODEL).toBe('plain');
    expect(env).toEqual({ HOME: '/h' });
    expect(taken.HOME).toBe('/h');
    expect(erased).toEqual(['PLANTED_API_KEY', 'HF_TOKEN', 'MODEL']);
    expect(taken.taken()).toEqual({ PLANTED_API_KEY: 'sk-1', HF_TOKEN: 'hf', MODEL: 'plain' });
    expect(taken.NOT_THERE).toBeUndefined();
  });

  it('leaves what others need under names that sound alike', () => {
    const env: NodeJS.ProcessEnv = { SSH_AUTH_SOCK: '/a', XAUTHORITY: '/x', KEYBOARD: 'de', PATH: '/bin' };
    takenEnvironment(env, {}, () => undefined);
    expect(Object.keys(env)).toHaveLength(4);
  });

  it('has what was handed over by a pipe', () => {
    const taken = takenEnvironment({}, { OPENAI_API_KEY: 'sk-piped' }, () => undefined);
    expect(taken.OPENAI_API_KEY).toBe('sk-piped');
  });
});

describe.skipIf(process.platform !== 'linux')('what another process of the user sees', () => {
  async function seen(keys: Record<string, string>) {
    const script = join(inject('storeWorkers'), 'keys-child.js');
    const child = spawn(process.execPath, [script], {
      stdio: ['pipe', 'pipe', 'inherit', keyPipe.stdio],
      env: {
        PATH: process.env.PATH,
        PLANTED_MODEL_KEY: 'sk-planted-000',
        PLANTED_PLAIN: 'plain-000',
        KEPT: 'kept-000',
        ...keyPipe.variables,
      },
    });
    sendKeys(child.stdio[3] as Writable, keys);
    const ended = once(child, 'exit');
    try {
      const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
      const [own, before, after, found] = JSON.parse(line.toString());
      const blocks = [own, before, after].map((pid) => readFileSync(`/proc/${pid}/environ`, 'latin1'));
      return { found, blocks };
    } finally {
      (child.stdin as Writable).end();
      await ended;
    }
  }

  it('finds no key in /proc/PID/environ of the process, of an older child and of a new one', async () => {
    const { found, blocks } = await seen({ PIPED_KEY: 'sk-piped-000' });
    expect(found).toEqual({
      PLANTED_MODEL_KEY: 'sk-planted-000',
      PLANTED_PLAIN: 'plain-000',
      PIPED_KEY: 'sk-piped-000',
    });
    for (const block of blocks) {
      expect(block).not.toMatch(/sk-planted|sk-piped|plain-000/);
      expect(block).toContain('KEPT=kept-000');
    }
  });
});
