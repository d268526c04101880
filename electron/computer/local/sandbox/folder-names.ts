import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { liesBelow } from './mount-points';

interface Mount {
  device: string;
  /** What of the file system stands there. */
  root: string;
  point: string;
  kind: string;
}

/** File systems of the kernel's own: showing one is showing processes or devices. */
const kernelKinds = [
  'proc',
  'sysfs',
  'devtmpfs',
  'devpts',
  'securityfs',
  'debugfs',
  'tracefs',
  'cgroup',
  'cgroup2',
];

const unescaped = (word: string) =>
  word.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));

function mounts(): Mount[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, , device, root, point] = line.split(' ');
      const kind = / - (\S+)/.exec(line)?.[1];
      if (device === undefined || root === undefined || point === undefined || kind === undefined) return [];
      return [{ device, root: unescaped(root), point: unescaped(point), kind }];
    });
}

const within = (path: string, folder: string) => path === folder || liesBelow(path, folder);

/**
 * All names that this machine has for a folder (without links) and for what is mounted below it: the same part of a file system
 * may be mounted at several places. `kernel`: a file system of the kernel's own that is mounted in it.
 */
export function mountedNames(path: string): { names: string[]; kernel: string | undefined } {
  // Elsewhere there is no such list, and no sandbox.
  if (process.platform !== 'linux') return { names: [path], kernel: undefined };
  const all = mounts();
  // The longest point, and of several at one point the last, is what is seen.
  const own = all.reduce<Mount | undefined>(
    (best, each) =>
      within(path, each.point) && each.point.length >= (best?.point.length ?? 0) ? each : best,
    undefined,
  );
  const parts = [
    ...(own === undefined ? [] : [{ ...own, root: join(own.root, relative(own.point, path)) }]),
    ...all.filter(({ point }) => liesBelow(point, path)),
  ];
  const names = parts.flatMap(({ device, root }) =>
    all
      .filter((each) => each.device === device && within(root, each.root))
      .map((each) => join(each.point, relative(each.root, root))),
  );
  return {
    names: [...new Set([path, ...names])],
    kernel: parts.find(({ kind }) => kernelKinds.includes(kind))?.point,
  };
}
