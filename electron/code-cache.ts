import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Compile = (this: Module, code: string, file: string, ...more: unknown[]) => unknown;

/** What Node puts around a module, and in its first line before it. */
const [head, tail] = Module.wrap('\0').split('\0') as [string, string];

/** Bundled code that several entries share lies here; a name holds the hash of its content, so a cache is of that very content. */
export function chunksIn(mainDir: string): string {
  return join(mainDir, 'chunks');
}

/** Only the engine that made it can use it: V8 compares version and flags, the folder's name says for which machines it was. */
export function codeCacheFolder(mainDir: string): string {
  return join(mainDir, 'code-cache', `${process.platform}-${process.arch}-${process.versions.v8}`);
}

export function cacheName(chunk: string): string {
  return `${basename(chunk)}.bin`;
}

/** `name`: for traces, and the cached one counts, which is no path. Columns are those of the file. */
export function moduleScript(code: string, name: string, cachedData?: Buffer): Script {
  const known = cachedData === undefined ? {} : { cachedData };
  return new Script(head + code + tail, { filename: name, columnOffset: -head.length, ...known });
}

/** Runs what `moduleScript` made of a file, as Node would run the file. */
export function runModule(script: Script, module: Module, file: string): void {
  const body = script.runInThisContext() as (...names: unknown[]) => void;
  body.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
}

/**
 * From now on chunks that this thread loads are taken from V8's code cache where the application came with one
 * (`code-cache-writer.ts`): compiling takes half of what loading takes. It lies beside the code and nowhere else: what may be
 * written by others is not run. What has no cache, or one that V8 refuses, is compiled as ever.
 */
export function takeFromCodeCache(mainDir: string): void {
  const chunks = chunksIn(mainDir);
  const folder = codeCacheFolder(mainDir);
  const modules = Module.prototype as unknown as { _compile: Compile };
  const compile = modules._compile;
  modules._compile = function (code, file, ...more) {
    const cached = dirname(file) === chunks ? readCache(join(folder, cacheName(file))) : null;
    if (cached === null) return compile.call(this, code, file, ...more);
    return runModule(moduleScript(code, file, cached), this, file);
  };
}

function readCache(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    // A build for which set-up made none, another engine than that it was made for, or a file that this user may not read.
    if (['ENOENT', 'EACCES', 'EPERM', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return null;
    throw error;
  }
}
