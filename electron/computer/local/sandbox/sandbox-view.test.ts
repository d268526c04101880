import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { liesBelow } from './mount-points';
import { homeInside, type SandboxView, sandboxArguments } from './sandbox-view';

describe('what a sandbox mounts', () => {
  let root: string;
  let view: SandboxView;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-view-')));
    view = {
      work: join(root, 'work'),
      home: join(root, 'home'),
      temporary: join(root, 'tmp'),
      folders: [],
      network: true,
    };
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });

  const share = (path: string, write = false) => sandboxArguments({ ...view, folders: [{ path, write }] });
  const refused = expect.objectContaining({ code: 'unsupported' });

  it('refuses a folder below one that the agent can write', () => {
    expect(() => share(join(view.work, 'data'))).toThrow(refused);
    expect(() => share(join(view.work, 'data'))).toThrow(`${view.work}/data, which lies below ${view.work}`);
    expect(() => share(join(view.home, 'data'))).toThrow(refused);
    expect(() => share(root, true)).toThrow(`${view.home}, which lies below ${root}`);
    expect(() => share('/')).toThrow(refused);
  });

  it('refuses a folder that a link puts below one that the agent can write', () => {
    symlinkSync(view.work, join(root, 'link'));
    expect(() => share(join(root, 'link', 'data'))).toThrow(refused);
  });

  it('shows folders beside it, and a folder that it lies in', () => {
    expect(share(join(root, 'data'))).toContain(join(root, 'data'));
    expect(share(root)).toContain(root);
  });

  it('has a new /tmp where something lies below it, and else the one of the run', () => {
    expect(sandboxArguments(view).join(' ')).toContain('--tmpfs /tmp');
    const args = share('/var/tmp/data').join(' ');
    expect(args).toContain('--tmpfs /tmp');
    expect(args).toContain('--tmpfs /var/tmp');
    expect(args).not.toContain('--symlink /tmp /var/tmp');
  });

  it.each([
    '/root',
    '/home/agent',
    '/home',
    '/home/agent/ws',
    '/',
  ])('puts the home beside that of the person at %s and what is shown', (personHome) => {
    vi.stubEnv('HOME', personHome);
    for (const path of ['/srv/data', '/home/agent/data', '/agent/data', '/home', '/agent']) {
      const inside = homeInside({ ...view, folders: [{ path, write: false }] });
      expect(inside).toMatch(/^\/(?:home\/agent|agent(?:-\d)?)$/);
      expect(inside === path || liesBelow(inside, path) || liesBelow(path, inside)).toBe(false);
      expect(inside).not.toBe(personHome);
    }
  });
});
