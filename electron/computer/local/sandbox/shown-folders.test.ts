import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusePrivate } from './shown-folders';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'waymark-shown-')));
  for (const name of [
    'home/.ssh/old',
    'home/.config/gcloud',
    'home/data/set',
    'home/.config/Waymark',
    'ws/runs/a/work',
  ])
    await mkdir(join(root, name), { recursive: true });
  await mkdir(join(root, 'shared/set'), { recursive: true });
  await symlink(join(root, 'home/.ssh'), join(root, 'shared/keys'));
  await symlink(join(root, 'home'), join(root, 'shared/all'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ask = (path: string) => () =>
  refusePrivate(path.startsWith('/') ? path : join(root, path), {
    home: join(root, 'home'),
    data: join(root, 'home/.config/Waymark'),
    workspace: join(root, 'ws'),
  });

describe('a folder that a run is to be shown', () => {
  it.each([
    ...['/', '/proc', '/proc/1', '/etc', '/etc/ssl', '/run', '/dev/shm', '/boot'],
    ...[
      '/tmp',
      '/var/tmp',
      '/var/log',
      '/var/lib',
      '/var/spool',
      '/var',
      '/lib',
      '/srv',
      '/mnt',
      '/media',
      '/home',
    ],
    ...[
      'home',
      '.',
      'home/.ssh',
      'home/.ssh/old',
      'home/.config',
      'home/.config/gcloud',
      'home/data/../.ssh',
    ],
    ...['home/.config/Waymark', 'ws', 'ws/runs', 'ws/runs/a/work'],
    ...['shared/keys', 'shared/keys/old', 'shared/all', 'shared/all/.ssh'],
  ])('is refused: %s', (path) => {
    expect(ask(path)).toThrow(expect.objectContaining({ code: 'refused' }));
  });

  it.each([
    'home/data',
    'home/data/set',
    'shared/set',
    'shared',
    '/usr/share',
    'shared/all/data',
  ])('may be: %s', (path) => {
    expect(ask(path)).not.toThrow();
  });

  it.each(
    `.claude .codex .kaggle .wandb .m2 .gradle .jupyter .databricks .electrum .ollama .config/sops .config/Bitwarden .config/Code
    .config/github-copilot .config/systemd .cache .local .local/share snap/firefox`.split(/\s+/),
  )('is refused in the home, where it is hidden or with keys: %s', async (name) => {
    await mkdir(join(root, 'home', name), { recursive: true });
    expect(ask(`home/${name}`)).toThrow(expect.objectContaining({ code: 'refused' }));
  });

  it('is refused with keys at any depth, above it or below it, and a hidden file too', async () => {
    await mkdir(join(root, 'shared/proj/a/b/.aws'), { recursive: true });
    await mkdir(join(root, 'shared/proj/.ssh/old'), { recursive: true });
    await writeFile(join(root, 'home/.env'), 'KEY=1');
    for (const path of [
      'shared/proj/a',
      'shared/proj',
      'shared/proj/.ssh',
      'shared/proj/.ssh/old',
      'home/.env',
    ])
      expect(ask(path)).toThrow(expect.objectContaining({ code: 'refused' }));
  });

  it('is refused where it is, holds or lies in any workspace', async () => {
    await mkdir(join(root, 'shared/copy/ws/runs'), { recursive: true });
    const file = Buffer.alloc(100);
    file.writeUInt32BE(0x5741594d, 68);
    await writeFile(join(root, 'shared/copy/ws/workspace.db'), file);
    for (const path of ['shared/copy', 'shared/copy/ws', 'shared/copy/ws/runs'])
      expect(ask(path)).toThrow('workspace of Waymark');
  });

  it('may be written only where it is no program', () => {
    const places = { home: join(root, 'home'), data: join(root, 'd'), workspace: join(root, 'ws') };
    expect(() => refusePrivate('/usr/share', places, true)).toThrow('holds programs');
    expect(() => refusePrivate(join(root, 'home/data'), places, true)).not.toThrow();
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is refused where something private is mounted on or below it',
    async () => {
      await mkdir(join(root, 'shared/bound/below'), { recursive: true });
      for (const [what, where] of [
        ['home/.ssh', 'shared/bound'],
        ['home', 'shared/bound'],
        ['home/.ssh', 'shared/bound/below'],
        ['ws/runs', 'shared/bound/below'],
        ['home/.config', 'shared/bound'],
      ]) {
        const point = join(root, where ?? '');
        const mounted = spawnSync('mount', ['--bind', join(root, what ?? ''), point]);
        if (mounted.status !== 0) return;
        try {
          expect(ask('shared/bound')).toThrow(expect.objectContaining({ code: 'refused' }));
        } finally {
          expect(spawnSync('umount', [point]).status).toBe(0);
        }
      }
      expect(ask('shared/bound')).not.toThrow();
    },
  );

  it('is there, and named from the root', () => {
    expect(ask('home/nothing')).toThrow(expect.objectContaining({ code: 'bad_input' }));
    expect(() => refusePrivate('data', { home: '/home/x', data: '/d', workspace: '/w' })).toThrow(
      'no such file or folder',
    );
  });
});
