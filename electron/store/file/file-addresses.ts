const WORD = 'SQLITE_USE_URI';

/**
 * SQLite understands `file:` addresses (`open-to-read.ts`) for the life of the process when it finds this word in the process's
 * environment as the add-on is loaded, which is with the first database that any thread opens. A thread's own `process.env` is a copy
 * that SQLite does not see: so whoever has a thread open the first one offers the word in the main thread until that thread has
 * answered. Call what is returned then: nothing that is started later is to inherit it. When the last thread that loaded the add-on
 * ends, the system unloads it, and whoever loads it next offers anew: open through `openDatabase`, which does.
 */
export function offerAddresses(): () => void {
  if (process.env[WORD] !== undefined) return () => undefined;
  process.env[WORD] = '1';
  return () => {
    delete process.env[WORD];
  };
}
