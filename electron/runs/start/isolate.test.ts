import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedPolicy } from '../../model/scripted-server';
import { author, EngineStand, type EngineStandOptions } from '../../testing/engine-stand';
import { sandboxMissing } from '../../testing/sandbox-missing';
import { lineCounting } from '../../testing/task-package';
import { branchPlaces, refuseOtherThanDemo, refuseUnasked } from './isolate';
import type { Place } from './places';

let stand: EngineStand | undefined;
afterEach(async () => {
  await stand?.close();
  stand = undefined;
  command = where;
});

/** Says whether it is in a sandbox, which has the session's own files at a place of their own. */
const where = 'ls /run/waymark >/dev/null 2>&1 && echo in-$((40 + 2))-sandbox || echo in-$((40 + 2))-open';
let command = where;
const policy: ScriptedPolicy = ({ answers }) => {
  const session = { computer_ip: 'local', session_id: 'main' };
  if (answers === 0) return { calls: [{ name: 'create_session', arguments: session }] };
  if (answers > 1) return { calls: [{ name: 'finish', arguments: {} }] };
  const call = { ...session, command, wait_for_completion: true };
  return { calls: [{ name: 'run_command', arguments: call }] };
};

const nothing = () => Promise.resolve({ kind: 'none' as const, why: 'bubblewrap is not installed' });

const smallTask = (internet: boolean, more = '') => `id: small
title: A small task
computers:
  - name: local
    host: local
    type: localhost_cpu
    internet: ${internet}
${more}
tools: [create_session, run_command, finish]
${lineCounting}`;

async function open(more: Partial<EngineStandOptions> = {}): Promise<EngineStand> {
  stand = await EngineStand.open({ policy, files: {}, aliases: ['gpu-03'], ...more });
  return stand;
}

const places = async (of: EngineStand, run: string) => (await of.of(run, 'run.created'))[0]?.computers;

describe.skipIf(sandboxMissing)(
  `where there is a sandbox${sandboxMissing ? `: ${sandboxMissing}` : ''}`,
  () => {
    it('a run is isolated without anybody asking for it', async () => {
      const own = await open();
      const run = await own.start({}, 'off', {});
      expect(await places(own, run)).toMatchObject([{ kind: 'local', isolation: 'bubblewrap' }]);
      await own.drive(run);
      expect(await own.printed(run, 'main')).toContain('in-42-sandbox');
    });

    it('a run that is to have none waits for a person', async () => {
      const own = await open();
      await expect(own.start({}, 'off', { isolation: 'none' })).rejects.toMatchObject({
        code: 'not_isolated',
        detail: '',
      });
      const run = await own.start({}, 'off', { isolation: 'none', agreed: 'person' });
      await own.drive(run);
      expect(await own.printed(run, 'main')).toContain('in-42-open');
    });

    it('has the network that its task gives it, and a loopback in any case', async () => {
      const server = createServer((socket) => socket.destroy());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const loop = `const s = require("net").createServer((c) => { console.log("loop-" + (40 + 2)); c.end(); s.close(); }).listen(0, "127.0.0.1", () => require("net").connect(s.address().port, "127.0.0.1"))`;
      command = `(: >/dev/tcp/127.0.0.1/${port}) && echo out-$((40 + 2)); node -e '${loop}'`;
      try {
        for (const internet of [false, true]) {
          const own = await open({ files: { 'task.yaml': smallTask(internet) } });
          const run = await own.start({}, 'off', {});
          expect((await places(own, run))?.[0]?.network).toBe(internet ? undefined : 'none');
          await own.drive(run);
          const said = await own.printed(run, 'main');
          expect(said).toContain('loop-42');
          expect(said.includes('out-42')).toBe(internet);
          await own.close();
          stand = undefined;
        }
      } finally {
        server.close();
      }
    });

    it('is shown the folders that a person named, by their real paths, and none that are private', async () => {
      const own = await open();
      const named = join(own.folder, 'named');
      await mkdir(named);
      await writeFile(join(named, 'f'), 'shown-text');
      await symlink(named, join(own.folder, 'link'));
      await symlink(own.store.folder, join(own.folder, 'away'));
      command = `cat ${named}/f; (: >${named}/g) && echo wrote-$((40 + 2))`;
      const show = [{ path: join(own.folder, 'link'), write: false }];
      const run = await own.start({}, 'off', { show });
      expect(await places(own, run)).toMatchObject([{ folders: [{ path: named, write: false }] }]);
      await own.drive(run);
      expect(await own.printed(run, 'main')).toContain('shown-text');
      expect(await own.printed(run, 'main')).not.toContain('wrote-42');
      for (const path of [homedir(), '/', join(own.folder, 'away'), own.store.folder]) {
        await expect(own.start({}, 'off', { show: [{ path, write: false }] })).rejects.toMatchObject({
          code: 'refused',
        });
      }
    });

    it('a task that links to a private folder does not start', async () => {
      const link = '    setup: { link: [{ from: /etc, to: data/etc }] }';
      const own = await open({ files: { 'task.yaml': smallTask(false, link) } });
      await expect(own.start({}, 'off', {})).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('/etc'),
      });
    });

    it('a yes that was given weakens nothing where it is not needed', async () => {
      const own = await open();
      const run = await own.start({}, 'off', { agreed: 'person' });
      expect(await places(own, run)).toMatchObject([{ isolation: 'bubblewrap' }]);
      expect((await places(own, run))?.[0]).not.toHaveProperty('unisolatedBy');
    });
  },
);

describe('where there is none', () => {
  it('no run starts before somebody agreed, and the log says that somebody did', async () => {
    const own = await open({ findIsolation: nothing });
    const asked = { code: 'not_isolated', detail: 'bubblewrap is not installed.' };
    await expect(own.start({}, 'off', {})).rejects.toMatchObject(asked);
    await expect(own.start({}, 'off', { isolation: 'sandbox' })).rejects.toThrow('--isolation none');
    expect(await own.store.reader.runs()).toEqual([]);
    const run = await own.start({}, 'off', { agreed: 'person' });
    expect(await places(own, run)).toMatchObject([{ kind: 'local', unisolatedBy: 'person' }]);
    await own.drive(run);
    expect(await own.printed(run, 'main')).toContain('in-42-open');
  });

  it('a run on hosts alone asks nobody', async () => {
    const own = await open({ findIsolation: nothing });
    expect(await places(own, await own.start({ local: 'gpu-03' }, 'off', {}))).toMatchObject([
      { kind: 'ssh' },
    ]);
  });

  it('a run of the demo follows its recording only', async () => {
    const own = await open({ findIsolation: nothing });
    const run = await own.start({}, 'off', { agreed: 'demo' });
    const [created] = await own.of(run, 'run.created');
    const other = { ...created?.model, name: 'Other', baseUrl: 'http://127.0.0.1:9/v1' };
    await expect(own.engine.setModel(run, author, other as never)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('recording'),
    });
  });
});

const open_: Place = { name: 'local', kind: 'local' };

describe('what a log says of consent', () => {
  it('counts for the run it stands in; a log without it is asked about', () => {
    expect(() => refuseUnasked([open_])).toThrow(
      expect.objectContaining({ detail: expect.stringContaining('does not say who agreed') }),
    );
    for (const kept of [{ unisolatedBy: 'person' }, { unisolatedBy: 'demo' }, { isolation: 'bubblewrap' }])
      expect(() => refuseUnasked([{ ...open_, ...kept } as Place])).not.toThrow();
    expect(() => refuseUnasked([{ name: 'gpu', kind: 'ssh', host: 'gpu-03' }])).not.toThrow();
  });

  it('goes over to a branch unless it was given for the recording and another model is asked', () => {
    const person: Place = { ...open_, unisolatedBy: 'person' };
    const demo: Place = { ...open_, unisolatedBy: 'demo' };
    expect(branchPlaces([person], true, false)).toEqual([person]);
    expect(branchPlaces([demo], false, false)).toEqual([demo]);
    expect(() => branchPlaces([demo], true, false)).toThrow(
      expect.objectContaining({ code: 'not_isolated' }),
    );
    expect(branchPlaces([demo], true, true)).toEqual([person]);
    const apart: Place = { ...open_, isolation: 'bubblewrap' };
    expect(branchPlaces([apart], true, true)).toEqual([apart]);
    expect(() => refuseOtherThanDemo([person, apart])).not.toThrow();
  });
});
