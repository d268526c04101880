import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/project.mjs';

/** What the package's resources call it. */
export const billName = 'bill-of-materials.cdx.json';
/** Where each part of the build says which packages went into it. */
const builtParts = ['main', 'preload', 'renderer'];
/** Brought along as they are, not bundled. */
const broughtAlong = ['node_modules/better-sqlite3'];
/** They say MIT in a form that lock files do not take over. */
const readByHand = { 'node_modules/ssh2': 'MIT' };

/**
 * What the packed application is made of, as CycloneDX 1.5: the packages that the build says it took, with version, hash and
 * licence of the lock file, and the Electron it is packed with. The same inputs give the same text.
 *
 * @param {{ version: string }} runtime Electron's version
 * @param {any} [lock]
 * @param {readonly string[]} [paths] keys of the lock file
 * @returns {any}
 */
export function billOfMaterials(runtime, lock = readJson('package-lock.json'), paths = shippedPackages()) {
  const { name, version, license } = lock.packages[''];
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name,
        version,
        licenses: licensesOf(license),
        ...identityOf(name, version),
      },
    },
    components: [
      {
        type: 'framework',
        name: 'electron',
        version: runtime.version,
        ...identityOf('electron', runtime.version),
      },
      ...paths.map((path) => componentOf(path, lock.packages[path])),
    ],
  };
}

/** @returns {string[]} keys of the lock file, in order, each once */
export function shippedPackages() {
  const built = builtParts.flatMap((part) => {
    const path = join(projectRoot, 'out', part, '.packages.json');
    if (!existsSync(path)) throw new Error(`The build did not say what went into out/${part}.`);
    return JSON.parse(readFileSync(path, 'utf8'));
  });
  return [...new Set([...built, ...broughtAlong])].sort();
}

/**
 * What a bill says that the lock file does not, and what it leaves out.
 *
 * @param {any} bill
 * @param {any} [lock]
 * @param {readonly string[]} [paths]
 * @returns {string[]}
 */
export function billProblems(bill, lock = readJson('package-lock.json'), paths = shippedPackages()) {
  const problems = [];
  const listed = new Map(bill.components.map((component) => [component['bom-ref'], component]));
  for (const path of paths) {
    const locked = lock.packages[path];
    const name = nameOf(path);
    if (locked === undefined) {
      problems.push(`${name} went into the build and is not locked.`);
      continue;
    }
    const component = listed.get(identityOf(name, locked.version)['bom-ref']);
    if (component === undefined) problems.push(`${name} ${locked.version} is not in the bill of materials.`);
    else if (component.hashes?.[0]?.content !== hexOf(locked.integrity))
      problems.push(`${name} has another hash in the bill of materials.`);
    else if (component.licenses.length === 0)
      problems.push(`${name} has no licence in the bill of materials.`);
  }
  const more =
    listed.size - new Set(paths.map((path) => `${nameOf(path)}@${lock.packages[path]?.version}`)).size - 1;
  if (more > 0) problems.push(`${more} packages of the bill of materials are not in the build.`);
  return problems;
}

function componentOf(path, { version, license, integrity } = {}) {
  const name = nameOf(path);
  return {
    ...{ type: 'library', name, version, ...identityOf(name, version) },
    licenses: licensesOf(license ?? readByHand[path]),
    hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }],
  };
}

function identityOf(name, version) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { purl, 'bom-ref': purl };
}

function licensesOf(expression) {
  return expression === undefined ? [] : [{ expression }];
}

function hexOf(integrity = '') {
  return Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function readJson(name) {
  return JSON.parse(readFileSync(join(projectRoot, name), 'utf8'));
}
