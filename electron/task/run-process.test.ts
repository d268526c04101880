import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrapPath } from '../computer/local/sandbox/bubblewrap';
import { localSandbox } from '../computer/local/sandbox/local-sandbox';
import { sandboxMissing } from '../testing/sandbox-missing';
import { runProcess } from './run-process';

const below = resolve(import.meta.dirname, '../../node_modules/.cache');
let folder: string;
beforeEach(async () => {
  await mkdir(below, { recursive: true });
  folder = await realpath(await mkdtemp(join(below, 'waymark-process-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Those of this machine with that word in their command line that are no zombies, looked at in one go. */
function alive(word: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(b) - Number(a))
    .filter((pid) => {
      try {
        // A zombie has no command line.
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(word);
      } catch {
        // Gone since the list was made.
        return false;
      }
    });
}

describe.skipIf(sandboxMissing)(
  `a command in a sandbox${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    const ran = (command: string, timeoutMs = 30_000) => {
      const place = (name: string) => join(folder, name);
      const view = { work: place('work'), home: place('home'), temporary: place('tmp') };
      const sandbox = localSandbox(bubblewrapPath() ?? '', { ...view, folders: [], network: true });
      const within = sandbox.command();
      const { signal } = new AbortController();
      return runProcess({ command, within, cwd: view.work, env: {}, timeoutMs, signal });
    };
    const many = (word: string) =>
      `for i in $(seq 400); do setsid -f bash -c 'exec -a ${word} sleep 300' >/dev/null 2>&1 </dev/null; done`;

    it('has left no process at the moment when its end is known', async () => {
      const word = `waymark-left-${process.pid}`;
      const ended = await ran(many(word));
      expect(alive(word)).toEqual([]);
      expect(ended).toMatchObject({ ended: 'exit', exitCode: 0 });
    });

    it('nor when its time is over', async () => {
      const word = `waymark-late-${process.pid}`;
      const ended = await ran(`${many(word)}; sleep 300`, 2_500);
      expect(alive(word)).toEqual([]);
      expect(ended.ended).toBe('timeout');
    });

    it('says how it ended', async () => {
      expect(await ran('echo out; echo err >&2; exit 7')).toMatchObject({ exitCode: 7, lastLine: 'out' });
      expect(await ran('kill -9 $$')).toMatchObject({ ended: 'exit', exitCode: 137 });
    });
  },
);
