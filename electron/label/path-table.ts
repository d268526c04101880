import { baseName, sameFile } from './command-facts';

/** Values by path, in order of entry, that are also found by another way to write the path: each look costs the paths of that name. */
export class PathTable<V> {
  private readonly values = new Map<string, V>();
  private readonly byName = new Map<string, Set<string>>();

  get size(): number {
    return this.values.size;
  }

  get(path: string): V | undefined {
    return this.values.get(path);
  }

  has(path: string): boolean {
    return this.values.has(path);
  }

  set(path: string, value: V): void {
    this.values.set(path, value);
    const name = baseName(path);
    const alike = this.byName.get(name) ?? new Set();
    this.byName.set(name, alike.add(path));
  }

  delete(path: string): void {
    this.values.delete(path);
    const name = baseName(path);
    const alike = this.byName.get(name);
    alike?.delete(path);
    if (alike?.size === 0) this.byName.delete(name);
  }

  /** The first path that can mean the same file. */
  like(path: string): string | undefined {
    for (const each of this.byName.get(baseName(path)) ?? []) {
      if (sameFile(each, path)) return each;
    }
    return undefined;
  }

  /** The path that was entered first. */
  oldest(): string | undefined {
    return this.values.keys().next().value;
  }

  entries(): Iterable<[string, V]> {
    return this.values;
  }
}
