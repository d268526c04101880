import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/project.mjs';

/** Locked packages, those that only build and test among them; more of them is a decision, not an accident. */
const MOST_IN_ALL = 700;
/** They say MIT in a form that lock files do not take over. */
const readByHand = new Set(['buildcheck', 'cpu-features', 'ssh2']);
const known =
  /^\(?(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|CC0-1\.0|CC-BY-[34]\.0|Unlicense|OFL-1\.1|Python-2\.0|WTFPL|MPL-2\.0|MIT-0|Zlib|Artistic-2\.0)(?: (?:OR|AND) [\w.()-]+)*\)?$/;

/**
 * What is wrong with the packages of the lock file: no hash, an unknown licence, an install script that may run, or too many.
 *
 * @param {any} [lock]
 * @param {Record<string, boolean>} [allowed] `allowScripts` of package.json
 * @returns {{ problems: string[], all: number }}
 */
export function checkPackages(
  lock = readJson('package-lock.json'),
  allowed = readJson('package.json').allowScripts,
) {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  const problems = [];
  for (const [path, { integrity, license, hasInstallScript, link }] of packages) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (link) continue;
    if (!/^sha512-/.test(integrity ?? '')) problems.push(`${name} has no hash.`);
    if (!readByHand.has(name) && !known.test(license ?? ''))
      problems.push(`${name} has the licence ${license ?? 'none'}.`);
    if (hasInstallScript && allowed[name] !== false)
      problems.push(`${name} has an install script that is not refused.`);
  }
  if (packages.length > MOST_IN_ALL)
    problems.push(`${packages.length} packages are locked, more than ${MOST_IN_ALL}.`);
  return { problems, all: packages.length };
}

function readJson(name) {
  return JSON.parse(readFileSync(join(projectRoot, name), 'utf8'));
}
