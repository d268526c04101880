import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect, inject, test } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { keyPipe, sendKeys } from './key-pipe';

const planted = ['sk-dumped', '0123456789'].join('-');

test.skipIf(process.platform !== 'linux')(
  'what the system writes of a process that crashes holds no key',
  async () => {
    const cwd = temporaryFolder();
    const script = join(inject('storeWorkers'), 'keys-child.js');
    const child = spawn('sh', ['-c', 'ulimit -c unlimited; exec "$0" "$1"', process.execPath, script], {
      cwd,
      stdio: ['pipe', 'pipe', 'ignore', keyPipe.stdio],
      env: { PATH: process.env.PATH, ...keyPipe.variables },
    });
    const ended = once(child, 'exit');
    sendKeys(child.stdio[3] as Writable, { PIPED_KEY: planted });
    const [line] = (await once(child.stdout as Readable, 'data')) as [Buffer];
    // It has the key, and with it whatever it starts later leaves its memory and its registers out.
    expect(line.toString()).toContain(planted);
    const [own, , after] = JSON.parse(line.toString()) as number[];
    for (const pid of [own, after]) {
      expect(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim()).toBe('00000000');
      expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max core file size +[01] /m);
    }
    child.kill('SIGABRT');
    expect(await ended).toEqual([null, 'SIGABRT']);
    // Where the system writes it beside the process it would be here: with no page of memory it has held the key in a register.
    expect(readdirSync(cwd)).toEqual([]);
  },
);
