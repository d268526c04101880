import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import Module from 'node:module';
import { join } from 'node:path';
import type { Script } from 'node:vm';
import { cacheName, chunksIn, codeCacheFolder, moduleScript, runModule } from './code-cache';
import { liveShortly } from './code-cache-life';

/**
 * Entry for set-up, which runs it with the application's Electron as plain Node: writes V8's code cache of every chunk of the
 * bundle beside them. It is no part of the packed application.
 */

type Compile = (this: Module, code: string, file: string) => void;

/** It asks for Electron's own module, which is not there without a window: compiled, and not run. */
const notRun = /^application-/;

const chunks = chunksIn(__dirname);
/** By path. The names are those of the listing: a part of a path would take the path along into what is cached. */
const names = new Map(
  readdirSync(chunks)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [join(chunks, name), name]),
);
const scripts = new Map<string, Script>();
const compiled = (code: string, name: string) => {
  const script = moduleScript(code, name);
  scripts.set(name, script);
  return script;
};
const modules = Module.prototype as unknown as { _compile: Compile };
const plain = modules._compile;
modules._compile = function (code, file) {
  const name = names.get(file);
  if (name === undefined) plain.call(this, code, file);
  else runModule(compiled(code, name), this, file);
};

// What a chunk's loading calls is compiled by then, and is cached as well; what a workspace's work calls, after that.
for (const [file, name] of names) {
  if (notRun.test(name)) compiled(readFileSync(file, 'utf8'), name);
  else require(file);
}
const folder = codeCacheFolder(__dirname);
mkdirSync(folder, { recursive: true });
// What a killed process leaves there goes with the cache, which set-up then writes again.
void liveShortly(mkdtempSync(join(folder, '.life-')))
  .then(
    () => '',
    // A workspace cannot live everywhere that code can: not on a network file system. Then less is compiled before.
    (thrown: unknown) => `, of loading alone (${thrown instanceof Error ? thrown.message : String(thrown)})`,
  )
  .then((less) => {
    for (const [name, script] of scripts)
      writeFileSync(join(folder, cacheName(name)), script.createCachedData());
    process.stdout.write(`${scripts.size} chunks${less}\n`);
  })
  .catch((thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  });
