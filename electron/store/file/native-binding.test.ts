import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { currentRuntime, nativeBinding, rebuiltBinding } from './native-binding';

test('a runtime with Node-API 10 takes the stock prebuild', () => {
  expect(nativeBinding({ ...currentRuntime(), nodeApi: '10' })).toBeUndefined();
});

test('an older runtime takes the rebuilt add-on from the cache folder', () => {
  const facts = { ...currentRuntime(), nodeApi: '8' };
  expect(nativeBinding(facts)).toBe(rebuiltBinding(facts));
});

test('a missing add-on names the file and the command that makes it', () => {
  const facts = { ...currentRuntime(), nodeApi: '8', env: { WAYMARK_CACHE: '/nowhere/at-all' } };
  expect(() => nativeBinding(facts)).toThrow(/\/nowhere\/at-all\/better-sqlite3\/.*npm run setup/s);
});

test('this process opens a database with the chosen add-on', () => {
  const chosen = nativeBinding();
  const database = new Database(':memory:', chosen === undefined ? {} : { nativeBinding: chosen });
  expect(database.prepare('select sqlite_compileoption_used(?) as fts').get('ENABLE_FTS5')).toEqual({
    fts: 1,
  });
  database.close();
});
