import promises, { open } from 'node:fs/promises';
import { exportRequestSchema } from '@shared/contract/export-request';
import { writeDataset } from '../dataset/export-dataset';
import { scriptedExport } from './scripted-export';

/**
 * A process that exports a made-up workspace and kills itself before its n-th change of the disk (0: never). It prints how many
 * changes there were, and how many events it read. Arguments: folder, n, request as JSON.
 */
async function main(): Promise<void> {
  const [, , out = '', at = '0', request = '{}'] = process.argv;
  let changes = 0;
  const change = () => {
    changes += 1;
    if (changes === Number(at)) process.kill(process.pid, 'SIGKILL');
  };
  const before = <T extends object>(owner: T, names: readonly string[]): void => {
    for (const name of names) {
      const real = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
      Object.defineProperty(owner, name, {
        value(this: unknown, ...args: unknown[]) {
          change();
          return real.apply(this, args);
        },
      });
    }
  };
  const handle = await open(process.execPath, 'r');
  before(Object.getPrototypeOf(handle) as object, ['writeFile', 'write', 'truncate', 'sync', 'datasync']);
  await handle.close();
  before(promises, ['rename', 'mkdir', 'rmdir']);
  const reader = scriptedExport();
  const options = exportRequestSchema.parse(JSON.parse(request));
  await writeDataset(
    reader,
    { ...options, out },
    { job: '01KRVN00000000000000000009', workspace: '/made-up', goOn: 'same', borderEvents: 1 },
  );
  process.stdout.write(JSON.stringify({ changes, events: reader.reads.events }));
}

void main();
