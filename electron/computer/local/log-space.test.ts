import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ConformanceSetup,
  mustFind,
  openSession,
  readRange,
  runToEnd,
  untilState,
} from '../../testing/conformance/session-driver';
import { eventually, factDeadlineMs } from '../../testing/deadline';
import { LocalComputer } from './local-computer';
import type { SupervisorKind } from './supervisor';

const megabyte = 1024 * 1024;

function run(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Disks of their own need the right to mount them. */
const mayMount = (() => {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-mount-'));
  const may = run('mount', '-t', 'tmpfs', 'tmpfs', directory) && run('umount', directory);
  rmSync(directory, { recursive: true });
  return may;
})();

describe.runIf(mayMount)('room for the logs of sessions', () => {
  const undo: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  function make(fileSystem: string, options: string, kind: SupervisorKind) {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-space-')));
    undo.push(() => rmSync(root, { recursive: true }));
    const sessionsDir = join(root, 'disk');
    execFileSync('mkdir', [sessionsDir]);
    execFileSync('mount', ['-t', fileSystem, '-o', options, fileSystem, sessionsDir]);
    undo.push(() => void execFileSync('umount', ['--lazy', sessionsDir]));
    const computer = new LocalComputer({
      sessionsDir,
      resourcesDir: resolve(import.meta.dirname, '../../../resources'),
      supervisors: [kind],
      limits: { keptBytes: 64 * 1024, unfetchedBytes: 64 * megabyte },
    });
    undo.push(async () => {
      for (const { name } of await computer.sessions.list()) await computer.sessions.close(name);
      await computer.dispose();
    });
    // No other part of a set-up is used here.
    const setup = undefined as unknown as ConformanceSetup;
    return { computer, sessionsDir, bench: { computer, workdir: root, setup } };
  }

  it.each([
    'perl',
    'python3',
  ] as const)('a full disk gets room by what is stored elsewhere, and the job goes on (%s)', async (kind) => {
    const { computer, bench } = make('tmpfs', 'size=6m', kind);
    await openSession(bench);
    const first = await runToEnd(computer, 'head -c 3000000 /dev/zero | tr "\\0" a; echo');
    const { commandSeq } = await computer.sessions.run(
      's',
      'head -c 4000000 /dev/zero | tr "\\0" b; echo; exit 3',
    );
    const held = await eventually('the disk is full', async () => {
      const state = await computer.sessions.state('s');
      return state.diskFull && state;
    });
    expect(held.state).toBe('busy');
    await computer.sessions.stored('s', first.endOffset);
    const outcome = await computer.sessions.waitCommand('s', commandSeq, { timeoutMs: factDeadlineMs });
    expect(outcome).toMatchObject({ exitCode: 3, timedOut: false });
    expect((await mustFind(computer)).droppedTo).toBeGreaterThan(2_900_000);
    const { endOffset } = await untilState(computer, 'ended');
    const bytes = await readRange(computer, 's', outcome.startOffset, endOffset);
    expect(
      Buffer.from(bytes)
        .toString('latin1')
        .replace(/b+/, (all) => `${all.length} of them`),
    ).toBe('4000000 of them\r\nexit\r\n');
  });

  it.each([
    'perl',
    'python3',
  ] as const)('where no holes can be made everything is kept (%s)', async (kind) => {
    const { computer, bench, sessionsDir } = make('ramfs', 'mode=700', kind);
    await openSession(bench);
    const first = await runToEnd(computer, 'seq 100000');
    await computer.sessions.stored('s', first.endOffset);
    expect((await mustFind(computer)).droppedTo).toBe(0);
    expect(await computer.files.stat(join(sessionsDir, 's', 'nopunch'))).toBeDefined();
    expect((await computer.sessions.read('s', 0, 10)).bytes).toHaveLength(10);
    await computer.sessions.run('s', 'exit');
    const { endOffset } = await untilState(computer, 'ended');
    await computer.sessions.stored('s', endOffset);
    expect((await mustFind(computer)).droppedTo).toBe(0);
  });
});
