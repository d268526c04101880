import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Store } from '../store/api';
import { type InProcessOptions, openStoreInProcess } from '../store/threads/in-process';

/** A folder that is deleted when the test is over. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-store-')));
  // Processes that a test killed may be writing their last file while it goes.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** An in-process store that is closed when the test is over. */
export function testStore(folder: string = temporaryFolder(), options: InProcessOptions = {}): Store {
  const store = openStoreInProcess(folder, options);
  let open = true;
  const { close } = store;
  const closing = Object.assign(store, {
    close: async () => {
      if (open) {
        open = false;
        await close.call(store);
      }
    },
  });
  onTestFinished(() => closing.close());
  return closing;
}
