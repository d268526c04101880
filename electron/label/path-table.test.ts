import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameFile } from './command-facts';
import { PathTable } from './path-table';

const part = fc.constantFrom('a', 'b', '.', '..', '', 'a.py', 'b.py');
const path = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('/'));
const change = fc.record({ path, remove: fc.boolean() });

test('a table finds the first path that can mean the same file, as a look at every path would', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), path, (changes, wanted) => {
      const table = new PathTable<number>();
      const plain = new Map<string, number>();
      for (const [at, { path: each, remove }] of changes.entries()) {
        if (remove) {
          table.delete(each);
          plain.delete(each);
        } else {
          table.set(each, at);
          plain.set(each, at);
        }
      }
      expect([...table.entries()]).toEqual([...plain]);
      expect(table.oldest()).toBe(plain.keys().next().value);
      expect(table.like(wanted)).toBe([...plain.keys()].find((each) => plainlySame(each, wanted)));
    }),
  );
});

test('paths that end differently are seen to differ without a look at the rest', () => {
  fc.assert(
    fc.property(path, path, (a, b) => {
      expect(sameFile(a, b)).toBe(plainlySame(a, b));
    }),
  );
});

/** The rule without any short cut: equal, or one ends with the other. */
function plainlySame(a: string, b: string): boolean {
  if (a === b) return true;
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  return !short.startsWith('/') && long.endsWith(`/${short.replace(/^(?:\.{1,2}\/)+/, '')}`);
}
